/** What apps, batch and networking have beside their specs. */
export const controllerFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apps-v1/ControllerRevision': {
    data: 'The saved state. For its controller only.',
    revision: 'The number of the revision. Newer ones are larger.',
  },
  'apps-v1/DaemonSetStatus': {
    currentNumberScheduled: 'Nodes that run a pod and should.',
    desiredNumberScheduled: 'Nodes that should run a pod.',
    numberAvailable: 'Nodes whose pod has been ready for minReadySeconds.',
    numberMisscheduled: 'Nodes that run a pod and should not.',
    numberReady: 'Nodes whose pod is ready.',
    numberUnavailable: 'Nodes that should have an available pod and have none.',
    updatedNumberScheduled: 'Nodes that run a pod of the current template.',
  },
  'apps-v1/DaemonSetUpdateStrategy': {
    rollingUpdate: 'How many nodes may be without a pod, or with two, during a rolling update.',
    type: 'RollingUpdate (default), or OnDelete to replace pods only when a user deletes them.',
  },
  'apps-v1/RollingUpdateDaemonSet': {
    maxSurge: 'How many nodes may have a new pod beside the old one: a number or a percentage. 0 by default.',
    maxUnavailable: 'How many nodes may be without an available pod: a number or a percentage. 1 by default.',
  },
  'apps-v1/ReplicaSetStatus': {
    availableReplicas: 'Pods that have been ready for minReadySeconds.',
    readyReplicas: 'Pods that are ready.',
    replicas: 'The number of existing pods.',
  },
  'apps-v1/RollingUpdateStatefulSetStrategy': {
    maxUnavailable: 'How many pods may be unavailable at once: a number or a percentage. 1 by default.',
    partition: 'Only pods with this number or a larger one are updated. 0 by default: all of them.',
  },
  'apps-v1/StatefulSetOrdinals': { start: 'The number of the first pod. 0 by default.' },
  'apps-v1/StatefulSetPersistentVolumeClaimRetentionPolicy': {
    whenDeleted: 'Retain (default), or Delete: what becomes of the claims when the set is deleted.',
    whenScaled: 'Retain (default), or Delete: what becomes of the claims of pods above the number of replicas.',
  },
  'apps-v1/StatefulSetStatus': {
    availableReplicas: 'Pods that have been ready for minReadySeconds.',
    currentReplicas: 'Pods of the current revision.',
    currentRevision: 'The revision that pods have which are not updated yet.',
    readyReplicas: 'Pods that are ready.',
    replicas: 'The number of existing pods.',
    updateRevision: 'The revision that pods are updated to.',
    updatedReplicas: 'Pods of the revision that pods are updated to.',
  },
  'apps-v1/StatefulSetUpdateStrategy': {
    rollingUpdate: 'Which pods are updated, and how many at once.',
    type: 'RollingUpdate (default), or OnDelete to replace pods only when a user deletes them.',
  },
  'batch-v1/CronJobStatus': {
    active: 'Jobs that are running now.',
    lastScheduleTime: 'When a job was last due and started.',
    lastSuccessfulTime: 'When a job last completed successfully.',
  },
  'batch-v1/JobStatus': {
    active: 'Pods that run or wait and are not being deleted.',
    completedIndexes: 'The indexes that have succeeded, as 1,3-5.',
    completionTime: 'When the job completed successfully.',
    failed: 'Pods that have failed.',
    failedIndexes: 'The indexes that have failed for good, as 1,3-5.',
    ready: 'Pods that are ready.',
    startTime: 'When the job controller started. Set again when a suspended job is resumed.',
    succeeded: 'Pods that have succeeded.',
    terminating: 'Pods that are being deleted and have not ended yet.',
    uncountedTerminatedPods: 'Pods that have ended and are not counted yet.',
  },
  'batch-v1/JobTemplateSpec': {
    metadata: 'Labels and annotations of the created jobs.',
    spec: 'The jobs to create.',
  },
  'batch-v1/PodFailurePolicy': { rules: 'The rules, of which the first that matches a failed pod counts. At most 20.' },
  'batch-v1/PodFailurePolicyRule': {
    action: 'FailJob, FailIndex, Ignore (the failure is not counted) or Count.',
    onExitCodes: 'Exit codes that the rule is for.',
    onPodConditions: 'Conditions of the pod that the rule is for. At most 20.',
  },
  'batch-v1/PodFailurePolicyOnExitCodesRequirement': {
    containerName: 'The container whose exit code counts. All containers by default.',
    operator: 'In, or NotIn, which 0 never matches.',
    values: 'The exit codes in order, 1 to 255 of them. 0 is not allowed for In.',
  },
  'batch-v1/PodFailurePolicyOnPodConditionsPattern': {
    status: 'The status that the condition must have. True by default.',
    type: 'The type of the condition.',
  },
  'batch-v1/SuccessPolicy': { rules: 'The rules, of which the first that holds ends the job successfully. 1 to 20.' },
  'batch-v1/SuccessPolicyRule': {
    succeededCount: 'How many indexes must have succeeded.',
    succeededIndexes: 'Which indexes must have succeeded, as 1,3-5. With a count, that many of these.',
  },
  'batch-v1/UncountedTerminatedPods': { failed: 'Uids of failed pods.', succeeded: 'Uids of succeeded pods.' },
  'networking-v1/IngressRule': {
    host: 'The host name that the rule is for, also as *.example.com. All hosts by default.',
    http: 'Where requests go, by their paths.',
  },
  'networking-v1/HTTPIngressRuleValue': { paths: 'Paths with their backends.' },
  'networking-v1/HTTPIngressPath': {
    backend: 'Where requests of the path go.',
    path: 'The path. Begins with / for Exact and Prefix.',
    pathType: 'Exact, Prefix (by elements between slashes), or ImplementationSpecific.',
  },
  'networking-v1/IngressBackend': {
    resource: 'An object in the namespace of the ingress. Not together with service.',
    service: 'A service in the namespace of the ingress.',
  },
  'networking-v1/IngressServiceBackend': { name: 'The service.', port: 'The port of the service.' },
  'networking-v1/ServiceBackendPort': {
    name: 'The name of the port. Not together with number.',
    number: 'The number of the port.',
  },
  'networking-v1/IngressTLS': {
    hosts: 'Hosts that the certificate is for.',
    secretName: 'The secret with the key and the certificate. May be left out where the controller chooses one by SNI.',
  },
  'networking-v1/IngressStatus': { loadBalancer: 'Where the ingress can be reached.' },
  'networking-v1/IngressLoadBalancerStatus': { ingress: 'The addresses of the load balancer.' },
  'networking-v1/IngressLoadBalancerIngress': {
    hostname: 'The name of the load balancer.',
    ip: 'The address of the load balancer.',
    ports: 'The status of each port.',
  },
  'networking-v1/IngressPortStatus': {
    error: 'What is wrong with the port, if anything.',
    port: 'The port number.',
    protocol: 'TCP, UDP or SCTP.',
  },
  'networking-v1/IngressClassSpec': {
    controller: 'The controller that handles ingresses of the class, as example.com/name. Cannot be changed.',
    parameters: 'An object with more settings for the controller.',
  },
  'networking-v1/IngressClassParametersReference': {
    kind: 'The kind of the object.',
    name: 'The name of the object.',
    namespace: 'The namespace of the object. Required if the scope is Namespace.',
    scope: 'Cluster (default) or Namespace.',
  },
  'networking-v1/NetworkPolicyIngressRule': {
    from: 'From where traffic is allowed. From everywhere if empty.',
    ports: 'To which ports traffic is allowed. To all if empty.',
  },
  'networking-v1/NetworkPolicyEgressRule': {
    ports: 'To which ports traffic is allowed. To all if empty.',
    to: 'To where traffic is allowed. To everywhere if empty.',
  },
  'networking-v1/NetworkPolicyPeer': {
    ipBlock: 'A range of addresses. Not together with selectors.',
    namespaceSelector: 'Namespaces by their labels; with podSelector, pods in them. An empty selector means all.',
    podSelector: 'Pods by their labels, in the namespaces of namespaceSelector or in that of the policy.',
  },
  'networking-v1/NetworkPolicyPort': {
    endPort: 'The last port of a range that begins with port, which must be a number.',
    port: 'A number, or the name of a port of the pods. All ports by default.',
    protocol: 'TCP (default), UDP or SCTP.',
  },
  'networking-v1/IPBlock': {
    cidr: 'The range, such as 192.168.1.0/24 or 2001:db8::/64.',
    except: 'Ranges in it that are left out.',
  },
  'networking-v1/IPAddressSpec': { parentRef: 'The object that has the address.' },
  'networking-v1/ParentReference': {
    group: 'The group of the object.',
    name: 'The name of the object.',
    namespace: 'The namespace of the object.',
    resource: 'The resource of the object.',
  },
  'networking-v1/ServiceCIDRSpec': {
    cidrs: 'Ranges for cluster addresses of services, one for each family. Cannot be changed.',
  },
};
