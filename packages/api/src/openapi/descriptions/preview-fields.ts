type Words = Readonly<Record<string, string>>;

const podGroup: Words = {
  disruptionMode: 'Whether pods of the group may be disrupted one by one, or only all together.',
  name: 'The name of the template, unique in the workload.',
  podGroupTemplateRef: 'The template of the group.',
  priority: 'The priority of the group. Written by the server from its priority class.',
  priorityClassName: 'The priority class of the group.',
  resourceClaims: 'Claims that the pods of the group share.',
  schedulingConstraints: 'Where the pods of the group must run together.',
  schedulingPolicy: 'How the pods of the group are scheduled.',
};

/** Kinds that are there in alpha or beta versions only. */
export const previewFields: Readonly<Record<string, Words>> = {
  'apiserverinternal-v1alpha1/ServerStorageVersion': {
    apiServerID: 'The API server that reports.',
    decodableVersions: 'Versions that the server can read.',
    encodingVersion: 'The version in which the server writes.',
    servedVersions: 'Versions that the server serves.',
  },
  'apiserverinternal-v1alpha1/StorageVersionStatus': {
    commonEncodingVersion: 'The version in which all servers write, if it is the same.',
    storageVersions: 'What each server reports.',
  },
  'certificates-v1beta1/ClusterTrustBundleSpec': {
    signerName: 'The signer whose certificates these are. Empty if there is none; cannot be changed.',
    trustBundle: 'Certificates in PEM, each once and in no order.',
  },
  'certificates-v1beta1/PodCertificateRequestSpec': {
    maxExpirationSeconds: 'The longest that the certificate may be valid. 86400 by default.',
    nodeName: 'The node of the pod.',
    nodeUID: 'The uid of the node.',
    pkixPublicKey: 'The public key, as PKIX has it.',
    podName: 'The pod that the certificate is for.',
    podUID: 'The uid of the pod.',
    proofOfPossession: 'A signature that shows that the kubelet has the private key.',
    serviceAccountName: 'The service account of the pod.',
    serviceAccountUID: 'The uid of the service account.',
    signerName: 'Who is to issue the certificate.',
    stubPKCS10Request: 'The public key and the proof as a PKCS#10 request.',
    unverifiedUserAnnotations: 'Notes of the user for the signer, which are not verified.',
  },
  'certificates-v1beta1/PodCertificateRequestStatus': {
    beginRefreshAt: 'When the kubelet should request the next certificate.',
    certificateChain: 'The certificate chain in PEM.',
    notAfter: 'When the certificate ends.',
    notBefore: 'When the certificate begins.',
  },
  'coordination-v1beta1/LeaseCandidateSpec': {
    binaryVersion: 'The version of the candidate.',
    emulationVersion: 'The version that the candidate behaves like.',
    leaseName: 'The lease that the candidate wants. Cannot be changed.',
    pingTime: 'When the candidate was last pinged.',
    renewTime: 'When the candidate last renewed.',
    strategy: 'How the holder is chosen.',
  },
  'resource-v1alpha3/DeviceTaintRuleSpec': {
    deviceSelector: 'The devices that get the taint. None if absent.',
    taint: 'The taint.',
  },
  'resource-v1alpha3/DeviceTaintSelector': { device: 'The device, by its name.', pool: 'The pool of the devices.' },
  'resource-v1alpha3/PoolStatus': {
    allocatedDevices: 'Devices that are allocated.',
    availableDevices: 'Devices that are free.',
    generation: 'The generation of the pool that was counted.',
    nodeName: 'The node of the pool.',
    poolName: 'The name of the pool.',
    resourceSliceCount: 'How many slices the pool has.',
    totalDevices: 'All devices of the pool.',
    unavailableDevices: 'Devices that cannot be allocated.',
    validationError: 'What is wrong with the slices of the pool.',
  },
  'resource-v1alpha3/ResourcePoolStatusRequestSpec': {
    limit: 'How many pools are answered at most.',
    poolName: 'The pool that is asked about. All by default.',
  },
  'resource-v1alpha3/ResourcePoolStatusRequestStatus': {
    poolCount: 'The number of pools.',
    pools: 'What is known of each pool.',
  },
  'resource-v1beta1/BasicDevice': {
    allNodes: 'Whether all nodes can reach the device.',
    allowMultipleAllocations: 'Whether several requests can share the device.',
    attributes: 'What is known of the device, for selectors.',
    bindingConditions: 'Conditions that must be true before a pod is bound.',
    bindingFailureConditions: 'Conditions any of which sends the pod back to the scheduler.',
    bindsToNode: 'Whether the claim is limited to the node that is chosen.',
    capacity: 'How much the device has of what.',
    consumesCounters: 'What the device takes of counters that devices share.',
    nodeAllocatableResourceMappings: 'Resources of the node that the device takes.',
    nodeName: 'The node of the device.',
    nodeSelector: 'The nodes that can reach the device.',
    taints: 'Taints that requests must tolerate.',
  },
  'resource-v1beta1/Device': { basic: 'What is known of the device.' },
  'resource-v1beta1/DeviceRequest': {
    adminAccess: 'If true, devices are allocated for monitoring although others use them.',
    allocationMode: 'ExactCount (default), or All devices that match.',
    capacity: 'How much of shared devices is wanted.',
    count: 'How many devices are wanted, for ExactCount. 1 by default.',
    deviceClassName: 'The device class. Its selectors must match too.',
    selectors: 'Conditions on a device. All of them must be met.',
    tolerations: 'Taints of devices that are tolerated.',
  },
  'scheduling-v1alpha2/GangSchedulingPolicy': {
    minCount: 'How many pods must find a place before any of them is bound.',
  },
  'scheduling-v1alpha2/PodGroupResourceClaim': {
    name: 'How pods name the claim.',
    resourceClaimName: 'A claim in the namespace of the group. Not together with a template.',
    resourceClaimTemplateName: 'A template from which a claim is created for the group.',
  },
  'scheduling-v1alpha2/PodGroupResourceClaimStatus': {
    name: 'The claim, as the spec names it.',
    resourceClaimName: 'The created claim.',
  },
  'scheduling-v1alpha2/PodGroupSchedulingConstraints': { topology: 'Places that all pods of the group must share.' },
  'scheduling-v1alpha2/PodGroupSchedulingPolicy': {
    basic: 'Pods are scheduled one by one.',
    gang: 'Pods are scheduled all together or not at all.',
  },
  'scheduling-v1alpha2/PodGroupSpec': podGroup,
  'scheduling-v1alpha2/PodGroupTemplate': podGroup,
  'scheduling-v1alpha2/PodGroupStatus': { resourceClaimStatuses: 'Which claims were made for the group.' },
  'scheduling-v1alpha2/PodGroupTemplateReference': { workload: 'The workload that has the template.' },
  'scheduling-v1alpha2/TopologyConstraint': { key: 'The label of nodes whose value must be the same.' },
  'scheduling-v1alpha2/TypedLocalObjectReference': { kind: 'The kind of the object.', name: 'The name of the object.' },
  'scheduling-v1alpha2/WorkloadPodGroupTemplateReference': {
    podGroupTemplateName: 'The template in the workload.',
    workloadName: 'The workload.',
  },
  'scheduling-v1alpha2/WorkloadSpec': {
    controllerRef: 'The object that the workload belongs to.',
    podGroupTemplates: 'Templates of the groups of pods.',
  },
  'storagemigration-v1beta1/StorageVersionMigrationSpec': {
    resource: 'The resource whose objects are written again. Cannot be changed.',
  },
  'storagemigration-v1beta1/StorageVersionMigrationStatus': {
    resourceVersion: 'Objects older than this are written again.',
  },
  'meta-v1/GroupResource': { group: 'The API group.', resource: 'The resource.' },
};
