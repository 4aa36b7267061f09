type Words = Readonly<Record<string, string>>;

const target: Words = {
  apiVersion: 'The API version of the object.',
  kind: 'The kind of the object.',
  name: 'The name of the object.',
};
const metric: Words = {
  container: 'The container of the pods that is measured.',
  current: 'The value that was last measured.',
  describedObject: 'The object that the metric is about.',
  metric: 'The metric, by its name and labels.',
  name: 'The resource that is measured: cpu or memory.',
  target: 'The value that is aimed at.',
};
const metricKinds: Words = {
  containerResource: 'A resource of one container of each pod.',
  external: 'A metric from outside of the cluster, such as the length of a queue.',
  object: 'A metric of another object, such as the requests of an ingress.',
  pods: 'A metric of each pod, averaged.',
  resource: 'A resource of the pods, as a whole.',
  type: 'Which of the fields is set: ContainerResource, External, Object, Pods or Resource.',
};
const amounts: Words = {
  averageUtilization: 'The average over all pods, in percent of what they request. For resources only.',
  averageValue: 'The average over all pods.',
  type: 'Utilization, Value or AverageValue.',
  value: 'The value as it is.',
};

/** Autoscaling, disruptions, endpoint slices, events, runtime classes, priorities and storage. */
export const scalingFields: Readonly<Record<string, Words>> = {
  'autoscaling-v1/CrossVersionObjectReference': target,
  'autoscaling-v2/CrossVersionObjectReference': target,
  'autoscaling-v1/HorizontalPodAutoscalerSpec': {
    maxReplicas: 'The most pods that there may be. Not below minReplicas.',
    minReplicas: 'The fewest pods that there may be. 1 by default.',
    scaleTargetRef: 'What is scaled.',
    targetCPUUtilizationPercentage:
      'The average use of processors over all pods that is aimed at, in percent of what they request.',
  },
  'autoscaling-v1/HorizontalPodAutoscalerStatus': {
    currentCPUUtilizationPercentage: 'The average use of processors that was last measured.',
    currentReplicas: 'How many pods there were when it was last looked at.',
    desiredReplicas: 'How many pods there should be.',
    lastScaleTime: 'When the number of pods was last changed.',
  },
  'autoscaling-v2/HorizontalPodAutoscalerStatus': {
    currentMetrics: 'What was last measured.',
    currentReplicas: 'How many pods there were when it was last looked at.',
    desiredReplicas: 'How many pods there should be.',
    lastScaleTime: 'When the number of pods was last changed.',
  },
  'autoscaling-v1/ScaleSpec': { replicas: 'How many replicas there should be.' },
  'autoscaling-v1/ScaleStatus': {
    replicas: 'How many replicas there are.',
    selector: 'The selector of the pods, as text.',
  },
  'autoscaling-v2/ContainerResourceMetricSource': metric,
  'autoscaling-v2/ContainerResourceMetricStatus': metric,
  'autoscaling-v2/ExternalMetricSource': metric,
  'autoscaling-v2/ExternalMetricStatus': metric,
  'autoscaling-v2/ObjectMetricSource': metric,
  'autoscaling-v2/ObjectMetricStatus': metric,
  'autoscaling-v2/PodsMetricSource': metric,
  'autoscaling-v2/PodsMetricStatus': metric,
  'autoscaling-v2/ResourceMetricSource': metric,
  'autoscaling-v2/ResourceMetricStatus': metric,
  'autoscaling-v2/MetricIdentifier': {
    name: 'The name of the metric.',
    selector: 'Labels that narrow the metric down.',
  },
  'autoscaling-v2/MetricSpec': metricKinds,
  'autoscaling-v2/MetricStatus': metricKinds,
  'autoscaling-v2/MetricTarget': amounts,
  'autoscaling-v2/MetricValueStatus': amounts,
  'autoscaling-v2/HorizontalPodAutoscalerBehavior': {
    scaleDown: 'How pods are taken away. By default all at once, by the highest number of the last 300 seconds.',
    scaleUp: 'How pods are added. By default the larger of 4 pods or 100 percent every 15 seconds.',
  },
  'autoscaling-v2/HPAScalingRules': {
    policies: 'How fast the number may change.',
    selectPolicy: 'Max (default), Min, or Disabled to never scale in this direction.',
    stabilizationWindowSeconds:
      'How far to look back at earlier recommendations, 0 to 3600. 300 for scaling down and 0 for up by default.',
    tolerance:
      'By how much the metric may differ from its target without scaling. That of the cluster by default, 10 percent.',
  },
  'autoscaling-v2/HPAScalingPolicy': {
    periodSeconds: 'The time for which the policy counts, 1 to 1800.',
    type: 'Pods or Percent.',
    value: 'How many pods, or how much percent, may change in the time.',
  },
  'policy-v1/Eviction': { deleteOptions: 'How the pod is deleted.' },
  'policy-v1/PodDisruptionBudgetStatus': {
    currentHealthy: 'Pods that are healthy.',
    desiredHealthy: 'The fewest pods that must be healthy.',
    disruptedPods: 'Pods whose eviction was allowed and that the controller has not seen go yet.',
    disruptionsAllowed: 'How many pods may be evicted now.',
    expectedPods: 'Pods that the budget counts.',
  },
  'coordination-v1/LeaseSpec': {
    preferredHolder: 'Who should have the lease. The holder gives it up at the end of its time. Needs strategy.',
    strategy: 'How the holder is chosen: OldestEmulationVersion, or one of your own with a domain.',
  },
  'discovery-v1/EndpointSlice': {
    addressType: 'IPv4, IPv6 or FQDN (deprecated). Cannot be changed.',
    endpoints: 'The endpoints, at most 1000.',
    ports: 'The ports that every endpoint has. All ports if empty; at most 100.',
  },
  'discovery-v1/Endpoint': {
    addresses: 'The addresses of the endpoint, which all lead to the same. Clients use the first.',
    deprecatedTopology: 'Deprecated and without effect.',
    hints: 'For whom the endpoint is meant.',
    hostname: 'The host name of the endpoint.',
    nodeName: 'The node of the endpoint.',
    targetRef: 'The object behind the endpoint, mostly a pod.',
    zone: 'The zone of the endpoint.',
  },
  'discovery-v1/EndpointConditions': {
    ready: 'Whether the endpoint takes new traffic. Unknown counts as true.',
    serving: 'As ready, but also true for pods that are ending and still answer.',
    terminating: 'Whether the endpoint is ending.',
  },
  'discovery-v1/EndpointHints': {
    forNodes: 'The nodes that should use the endpoint.',
    forZones: 'The zones that should use the endpoint.',
  },
  'discovery-v1/ForNode': { name: 'The node.' },
  'discovery-v1/ForZone': { name: 'The zone.' },
  'discovery-v1/EndpointPort': {
    appProtocol: 'The protocol on the port, such as kubernetes.io/h2c.',
    name: 'The name of the port, as the service has it. Unique in the slice.',
    port: 'The port number. All ports if absent.',
    protocol: 'TCP (default), UDP or SCTP.',
  },
  'events-v1/Event': {
    action: 'What was done or failed, in a word.',
    deprecatedCount: 'How often this has happened. For older clients.',
    deprecatedFirstTimestamp: 'When it was first recorded. For older clients.',
    deprecatedLastTimestamp: 'When it was last recorded. For older clients.',
    deprecatedSource: 'The component that reports it. For older clients.',
    eventTime: 'When it was first seen.',
    note: 'What happened, for people. At most 1024 bytes.',
    reason: 'Why it happened: one word in CamelCase, for programs.',
    regarding: 'The object that the event is about.',
    related: 'A second object that is related to it.',
    reportingController: 'The controller that reports it, such as kubernetes.io/kubelet.',
    reportingInstance: 'Which instance of the controller reports it.',
    series: 'Set when the same event happens again and again.',
    type: 'Normal or Warning.',
  },
  'events-v1/EventSeries': { count: 'How often it has happened so far.', lastObservedTime: 'When it last happened.' },
  'node-v1/RuntimeClass': {
    handler: 'How the runtime of the nodes names what runs the pods. Cannot be changed.',
    overhead: 'What running a pod of the class takes beside its containers.',
    scheduling: 'On which nodes pods of the class can run. All by default.',
  },
  'node-v1/Overhead': { podFixed: 'The resources that each pod takes beside its containers.' },
  'node-v1/Scheduling': {
    nodeSelector: 'Labels that nodes must have, added to the selector of the pod.',
    tolerations: 'Tolerations that are added to those of the pod.',
  },
  'scheduling-v1/PriorityClass': {
    description: 'When to use the class.',
    globalDefault: 'Whether pods that name no class get this one. At most one class should have it.',
    preemptionPolicy: 'PreemptLowerPriority (default), or Never: pods of the class wait but come first.',
    value: 'The priority of the pods; larger ones come first. At most 1000000000 for classes of users.',
  },
  'storage-v1/CSIDriverSpec': {
    attachRequired: 'Whether volumes must be attached to nodes before they are mounted. True by default.',
    fsGroupPolicy: 'Whether fsGroup changes the owner of files: ReadWriteOnceWithFSType (default), File or None.',
    nodeAllocatableUpdatePeriodSeconds:
      'How often the number of volumes that a node takes is queried again, 10 seconds at least. Never by default.',
    podInfoOnMount: 'Whether the driver receives the name, namespace and uid of the pod. False by default.',
    preventPodSchedulingIfMissing: 'Whether pods wait for a node that has the driver. False by default.',
    requiresRepublish: 'Whether the driver is called again and again for mounted volumes. False by default.',
    seLinuxMount: 'Whether volumes can be mounted with an SELinux label. False by default.',
    serviceAccountTokenInSecrets: 'Whether tokens are handed to the driver among the secrets. False by default.',
    storageCapacity: 'Whether the scheduler looks at the free capacity that the driver reports. False by default.',
    tokenRequests: 'Tokens of the service account of the pod that the driver gets.',
    volumeLifecycleModes: 'Persistent (default), Ephemeral or both.',
  },
  'storage-v1/CSINodeDriver': {
    allocatable: 'How many volumes of the driver the node takes.',
    name: 'The name of the driver.',
    nodeID: 'How the driver names the node.',
    topologyKeys: 'The labels of nodes by which the driver knows where volumes can be reached.',
  },
  'storage-v1/CSINodeSpec': { drivers: 'The drivers on the node.' },
  'storage-v1/CSIStorageCapacity': {
    capacity: 'How much is free.',
    maximumVolumeSize: 'How large one volume can be.',
    nodeTopology: 'Which nodes can reach the storage. None if absent.',
    storageClassName: 'The storage class that this is about.',
  },
  'storage-v1/StorageClass': {
    allowVolumeExpansion: 'Whether claims can be made larger. False by default.',
    allowedTopologies: 'Where volumes may be made. Everywhere by default.',
    mountOptions: 'Options of the mount, such as ro. They are not checked: a wrong one makes the mount fail.',
    parameters: 'Settings for the driver, at most 512.',
    provisioner: 'The driver that makes volumes.',
    reclaimPolicy: 'Delete (default) or Retain: what becomes of a volume when its claim is deleted.',
    volumeBindingMode: 'Immediate (default), or WaitForFirstConsumer to make the volume where the pod will run.',
  },
  'storage-v1/TokenRequest': {
    audience: 'For whom the token is. The API server if empty.',
    expirationSeconds: 'How long the token is valid. 3600 by default.',
  },
  'storage-v1/VolumeAttachmentSpec': {
    attacher: 'The driver that attaches the volume.',
    nodeName: 'The node to attach it to.',
    source: 'The volume.',
  },
  'storage-v1/VolumeAttachmentSource': {
    inlineVolumeSpec: 'A volume of a pod that has become one of a CSI driver.',
    persistentVolumeName: 'The persistent volume.',
  },
  'storage-v1/VolumeAttachmentStatus': {
    attachError: 'What last went wrong with attaching.',
    attached: 'Whether the volume is attached.',
    attachmentMetadata: 'What the driver needs to mount the volume.',
    detachError: 'What last went wrong with detaching.',
  },
  'storage-v1/VolumeAttributesClass': {
    driverName: 'The driver that the class is for. Cannot be changed.',
    parameters: 'Settings of volumes, at most 512. Cannot be changed.',
  },
  'storage-v1/VolumeError': {
    errorCode: 'The gRPC code of the error.',
    message: 'What went wrong. May be logged: no secrets.',
    time: 'When it went wrong.',
  },
  'storage-v1/VolumeNodeResources': { count: 'How many volumes the node takes. Not limited if absent.' },
};
