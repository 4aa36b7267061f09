/** The parts of pods and containers. */
export const podPartFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'core-v1/Affinity': {
    nodeAffinity: 'On which nodes the pod may or should run, by the labels of the nodes.',
    podAffinity: 'Near which other pods the pod must or should run.',
    podAntiAffinity: 'Away from which other pods the pod must or should run.',
  },
  'core-v1/NodeAffinity': {
    preferredDuringSchedulingIgnoredDuringExecution:
      'Nodes to prefer. The weights of all terms that a node matches are added to its score.',
    requiredDuringSchedulingIgnoredDuringExecution:
      'What a node must match. Pods that already run stay when labels change.',
  },
  'core-v1/PodAffinity': {
    preferredDuringSchedulingIgnoredDuringExecution: 'Pods to be near to if possible, with a weight each.',
    requiredDuringSchedulingIgnoredDuringExecution:
      'Pods to be near to; without a place that fulfils all terms, the pod stays pending.',
  },
  'core-v1/PodAntiAffinity': {
    preferredDuringSchedulingIgnoredDuringExecution:
      'Preferred anti-affinity: pods to avoid if possible, with a weight each.',
    requiredDuringSchedulingIgnoredDuringExecution:
      'Required anti-affinity: no node in a domain with one of these pods is chosen.',
  },
  'core-v1/PodAffinityTerm': {
    labelSelector: 'Which pods the term is about.',
    matchLabelKeys: 'Labels whose values are taken from the pod itself and added to the selector as `key in (value)`.',
    mismatchLabelKeys:
      'Labels whose values are taken from the pod itself and added to the selector as `key notin (value)`.',
    namespaceSelector: 'The namespaces in which pods are looked for, by their labels. An empty selector means all.',
    namespaces: 'The namespaces in which pods are looked for. That of the pod if neither field is set.',
    topologyKey:
      'The label of nodes that defines the topology domain, such as kubernetes.io/hostname. Nodes with the same value are one domain.',
  },
  'core-v1/WeightedPodAffinityTerm': {
    podAffinityTerm: 'The pods that the weight is for.',
    weight: 'How much the term counts, from 1 to 100.',
  },
  'core-v1/PreferredSchedulingTerm': {
    preference: 'What a node is to match.',
    weight: 'How much the term counts, from 1 to 100.',
  },
  'core-v1/NodeSelector': { nodeSelectorTerms: 'Terms of which one must match the node. At least one is required.' },
  'core-v1/NodeSelectorTerm': {
    matchExpressions: 'Requirements on the labels of the node. All of them must be met.',
    matchFields: 'Requirements on the fields of the node, of which only metadata.name is supported.',
  },
  'core-v1/NodeSelectorRequirement': {
    key: 'The label or field that is looked at.',
    operator: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    values: 'The values to compare with: none for Exists and DoesNotExist, one integer for Gt and Lt.',
  },
  'core-v1/TopologySpreadConstraint': {
    labelSelector: 'Which pods are counted in each domain.',
    matchLabelKeys: 'Labels whose values are taken from the pod itself and added to the selector.',
    maxSkew: 'By how many pods the fullest domain may exceed the emptiest one. At least 1.',
    minDomains:
      'With fewer domains than this the emptiest is taken to have no pods. 1 by default; only with DoNotSchedule.',
    nodeAffinityPolicy:
      'Honor (default): only nodes that the node affinity and selector allow are counted. Ignore: all are.',
    nodeTaintsPolicy: 'Ignore (default): all nodes are counted. Honor: only those whose taints the pod tolerates.',
    topologyKey: 'The label of nodes whose values are the domains.',
    whenUnsatisfiable: 'DoNotSchedule: the pod waits. ScheduleAnyway: the scheduler only prefers less skew.',
  },
  'core-v1/Taint': {
    effect: 'NoSchedule, PreferNoSchedule or NoExecute, which also evicts pods that do not tolerate it.',
    key: 'The key of the taint, in the form of a label key.',
    timeAdded: 'When a NoExecute taint was added. Tolerations with a time limit count from here.',
    value: 'The value that belongs to the key. May be empty.',
  },
  'core-v1/SecurityContext': {
    allowPrivilegeEscalation:
      'Whether a process may gain more privileges than its parent. Always true with privileged or CAP_SYS_ADMIN.',
    appArmorProfile: 'The AppArmor profile of the container; overrides the one of the pod.',
    capabilities: 'Linux capabilities to add to and drop from those that the runtime gives.',
    privileged: 'If true, the container has all access to the host that root has. False by default.',
    procMount: 'Default, or Unmasked to leave /proc unprotected, which needs a user namespace.',
    readOnlyRootFilesystem: 'If true, the root file system of the container cannot be written to. False by default.',
    runAsGroup: 'The primary group id of the processes; overrides the one of the pod.',
    runAsNonRoot: 'If true, the kubelet refuses to start a container that would run as user 0.',
    runAsUser: 'The user id of the processes; that of the image by default. Overrides the one of the pod.',
    seLinuxOptions: 'The SELinux context of the container. The runtime chooses one by default.',
    seccompProfile: 'The seccomp profile of the container; overrides the one of the pod.',
    windowsOptions: 'Settings for containers on Windows; must be absent on Linux.',
  },
  'core-v1/PodSecurityContext': {
    appArmorProfile: 'The AppArmor profile of all containers that name none themselves.',
    fsGroup: 'A group that owns the volumes of the pod and that all containers belong to.',
    fsGroupChangePolicy:
      'Always (default), or OnRootMismatch to change the owner of files only where the root of the volume has another.',
    runAsGroup: 'The primary group id of all containers that name none themselves.',
    runAsNonRoot: 'If true, the kubelet refuses to start containers that would run as user 0.',
    runAsUser: 'The user id of all containers that name none themselves; that of the image by default.',
    seLinuxChangePolicy: 'How volumes get their SELinux label: MountOption, or Recursive to relabel every file.',
    seLinuxOptions: 'The SELinux context of all containers that name none themselves.',
    seccompProfile: 'The seccomp profile of all containers that name none themselves.',
    supplementalGroups: 'Groups that the first process of each container belongs to, beside its primary one.',
    supplementalGroupsPolicy: 'Merge (default): groups of the image count too. Strict: only those that are named here.',
    sysctls: 'Kernel parameters for the pod. The kubelet refuses those that it does not allow.',
    windowsOptions: 'Settings for containers on Windows; must be absent on Linux.',
  },
  'core-v1/Capabilities': {
    add: 'Capabilities to add, without the prefix CAP_.',
    drop: 'Capabilities to drop; ALL drops every one.',
  },
  'core-v1/SELinuxOptions': {
    level: 'The level of the SELinux label.',
    role: 'The role of the SELinux label.',
    type: 'The type of the SELinux label.',
    user: 'The user of the SELinux label.',
  },
  'core-v1/SeccompProfile': {
    localhostProfile:
      'The path of a profile below the seccomp directory of the kubelet. Required for Localhost, else absent.',
    type: 'RuntimeDefault, Unconfined, or Localhost for a profile from a file of the node.',
  },
  'core-v1/AppArmorProfile': {
    localhostProfile: 'The name of a profile that is loaded on the node. Required for Localhost, else absent.',
    type: 'RuntimeDefault, Unconfined, or Localhost for a profile that is loaded on the node.',
  },
  'core-v1/WindowsSecurityContextOptions': {
    gmsaCredentialSpec: 'The GMSA credential spec itself, written by an admission webhook.',
    gmsaCredentialSpecName: 'The name of the GMSA credential spec to use.',
    hostProcess:
      'If true, the container runs as a process of the host; all containers of the pod must then, with hostNetwork.',
    runAsUserName: 'The Windows user that runs the container; that of the image by default.',
  },
  'core-v1/Sysctl': { name: 'The name of the kernel parameter.', value: 'The value that it gets.' },
  'core-v1/Lifecycle': {
    postStart:
      'Called right after the container was created. If it fails, the container is killed and restarted by its policy.',
    preStop: 'Called before the container is stopped. The grace period runs meanwhile.',
    stopSignal: 'The signal that stops the container, instead of that of the image. Needs `spec.os.name`.',
  },
  'core-v1/LifecycleHandler': {
    exec: 'Runs a command in the container.',
    httpGet: 'Sends an HTTP GET request.',
    sleep: 'Waits for a time.',
    tcpSocket: 'Deprecated and without effect; kept for old objects.',
  },
  'core-v1/ExecAction': {
    command: 'The command with its arguments. It is not run in a shell; exit code 0 is success.',
  },
  'core-v1/HTTPGetAction': {
    host: 'The host to connect to; the address of the pod by default. Set the header Host instead in most cases.',
    httpHeaders: 'Headers of the request. The same name may come more than once.',
    path: 'The path to request. `/` by default.',
    port: 'A port number from 1 to 65535, or the name of a port of the container.',
    scheme: 'HTTP (default) or HTTPS. Certificates are not verified.',
  },
  'core-v1/HTTPHeader': { name: 'The name of the header, in any case.', value: 'The value of the header.' },
  'core-v1/TCPSocketAction': {
    host: 'The host to connect to; the address of the pod by default.',
    port: 'A port number from 1 to 65535, or the name of a port of the container.',
  },
  'core-v1/GRPCAction': {
    port: 'The port of the gRPC health service, from 1 to 65535.',
    service: 'The service name in the health check. Empty by default.',
  },
  'core-v1/SleepAction': { seconds: 'How many seconds to wait.' },
  'core-v1/EnvFromSource': {
    configMapRef: 'The config map whose keys become variables.',
    prefix: 'Put before the name of each variable.',
    secretRef: 'The secret whose keys become variables.',
  },
  'core-v1/EnvVarSource': {
    configMapKeyRef: 'A key of a config map.',
    fieldRef: 'A field of the pod, such as metadata.name or status.podIP.',
    fileKeyRef: 'A key of a file in an emptyDir volume that an init container wrote.',
    resourceFieldRef: 'A resource limit or request of a container.',
    secretKeyRef: 'A key of a secret.',
  },
  'core-v1/ConfigMapEnvSource': { name: 'The name of the config map, in the namespace of the pod.' },
  'core-v1/SecretEnvSource': { name: 'The name of the secret, in the namespace of the pod.' },
  'core-v1/ConfigMapKeySelector': {
    key: 'The key to take.',
    name: 'The name of the config map, in the namespace of the pod.',
  },
  'core-v1/SecretKeySelector': {
    key: 'The key to take.',
    name: 'The name of the secret, in the namespace of the pod.',
  },
  'core-v1/FileKeySelector': {
    key: 'The key in the file, which must be a name that a variable can have.',
    path: 'The path of the file in the volume; relative and without `..`.',
    volumeName: 'The emptyDir volume that has the file.',
  },
  'core-v1/ObjectFieldSelector': {
    apiVersion: 'The version in which the path is written. v1 by default.',
    fieldPath: 'The path of the field, such as metadata.labels or spec.nodeName.',
  },
  'core-v1/ResourceFieldSelector': {
    containerName: 'The container to look at. Required for volumes, that container itself for variables.',
    divisor: 'The unit of the value. 1 by default.',
    resource: 'The resource, such as limits.cpu or requests.memory.',
  },
  'core-v1/ContainerResizePolicy': {
    resourceName: 'The resource that the policy is for: cpu or memory.',
    restartPolicy: 'NotRequired (default) or RestartContainer, when the resource is resized.',
  },
  'core-v1/ContainerRestartRule': {
    action: 'What happens when the rule matches: Restart, or RestartAllContainers where enabled.',
    exitCodes: 'The exit codes that the rule is for.',
  },
  'core-v1/ContainerRestartRuleOnExitCodes': {
    operator: 'In or NotIn.',
    values: 'The exit codes to compare with, at most 255 of them.',
  },
  'core-v1/Container': {
    restartPolicyRules: 'Rules by exit code that are tried before the restart policy. At most 20.',
  },
  'core-v1/EphemeralContainer': {
    args: 'Arguments of the entry point; those of the image by default.',
    command: 'The entry point; that of the image by default. Not run in a shell.',
    env: 'Variables of the environment.',
    envFrom: 'Config maps and secrets whose keys become variables.',
    image: 'The image that the container runs.',
    imagePullPolicy: 'Always, Never or IfNotPresent. Always by default for the tag latest, else IfNotPresent.',
    lifecycle: 'Not allowed for ephemeral containers.',
    livenessProbe: 'Not allowed for ephemeral containers.',
    name: 'Unique among all containers of the pod.',
    ports: 'Not allowed for ephemeral containers.',
    readinessProbe: 'Not allowed for ephemeral containers.',
    resizePolicy: 'Not allowed for ephemeral containers.',
    resources: 'Not allowed for ephemeral containers, which use what is left of the pod.',
    restartPolicy: 'Not allowed for ephemeral containers: they are never restarted.',
    restartPolicyRules: 'Not allowed for ephemeral containers.',
    securityContext: 'Security settings of the container, which override those of the pod.',
    startupProbe: 'Not allowed for ephemeral containers.',
    stdin: 'If true, a buffer is kept for standard input. False by default: reads end at once.',
    stdinOnce: 'If true, standard input is closed after the first attached client leaves.',
    targetContainerName: 'The container whose namespaces are shared, for looking at its processes.',
    terminationMessagePath: 'The file from which the message of the end is read. /dev/termination-log by default.',
    terminationMessagePolicy:
      'File (default), or FallbackToLogsOnError to use the end of the log of a failed container.',
    tty: 'If true, the container has a terminal. Needs stdin.',
    volumeDevices: 'Block devices of the container.',
    volumeMounts: 'Where volumes are mounted. Not below sub-paths.',
    workingDir: 'The working directory; that of the image by default.',
  },
  'core-v1/VolumeDevice': {
    devicePath: 'The path of the device in the container.',
    name: 'The persistent volume claim of the pod that is used as a block device.',
  },
  'core-v1/VolumeMount': {
    mountPropagation: 'None (default), HostToContainer or Bidirectional, which needs a privileged container.',
    recursiveReadOnly:
      'Disabled (default), IfPossible or Enabled: whether mounts below are read-only too. Needs readOnly.',
    subPathExpr: 'A path in the volume with variables such as $(POD_NAME). Not together with subPath.',
  },
  'core-v1/HostAlias': { hostnames: 'The names for the address.', ip: 'The address of the entry in /etc/hosts.' },
  'core-v1/PodDNSConfig': {
    nameservers: 'Addresses of name servers, added to those of the DNS policy. At most 3 in all.',
    options: 'Options of the resolver, merged with those of the DNS policy.',
    searches: 'Search domains, added to those of the DNS policy. At most 32 in all.',
  },
  'core-v1/PodDNSConfigOption': { name: 'The option, such as ndots.', value: 'The value, if the option has one.' },
  'core-v1/PodOS': { name: 'linux or windows. Settings for the other system must be absent.' },
  'core-v1/PodReadinessGate': { conditionType: 'A condition of the pod that must be true for the pod to be ready.' },
  'core-v1/PodSchedulingGate': { name: 'The name of the gate. The pod is not scheduled while there is one.' },
  'core-v1/PodSchedulingGroup': { podGroupName: 'The group of pods that is scheduled as one, in the same namespace.' },
  'core-v1/PodResourceClaim': {
    name: 'How containers name the claim.',
    resourceClaimName: 'A resource claim in the namespace of the pod. Not together with a template.',
    resourceClaimTemplateName: 'A template from which a claim is created for the pod and deleted with it.',
  },
  'core-v1/PodResourceClaimStatus': {
    name: 'The claim, as spec.resourceClaims names it.',
    resourceClaimName: 'The created claim. Absent if none is needed.',
  },
  'core-v1/ResourceClaim': {
    name: 'One of the claims in spec.resourceClaims of the pod.',
    request: 'One request of the claim; all of them by default.',
  },
  'core-v1/PodSpec': {
    hostUsers:
      'If false, the pod has a user namespace of its own: root inside is an unprivileged user outside. True by default.',
    hostnameOverride:
      'The host name of the pod, whatever the other fields say. At most 64 characters; not with hostNetwork.',
    schedulingGroup: 'The group of pods that this pod is scheduled with.',
  },
  'core-v1/PodTemplateSpec': {
    metadata: 'Labels, annotations and all else of the created pods.',
    spec: 'The spec of the created pods.',
  },
  'core-v1/PodTemplate': { template: 'The template of the pods.' },
  'core-v1/PodStatus': {
    allocatedResources: 'Resources that the node has set aside for the pod as a whole.',
    ephemeralContainerStatuses: 'The state of each ephemeral container.',
    extendedResourceClaimStatus: 'The claim that was created for extended resources of devices.',
    hostIPs: 'The addresses of the node, one for each family.',
    initContainerStatuses: 'The state of each init container, in their order.',
    nodeAllocatableResourceClaimStatuses: 'Resources of the node that claims of the pod use.',
    observedGeneration: 'The generation of the pod that the kubelet has acted on.',
    resize: 'Deprecated: see the conditions PodResizePending and PodResizeInProgress.',
    resourceClaimStatuses: 'The claims that were created for spec.resourceClaims.',
    resources: 'The resources that the pod as a whole was last allocated.',
  },
  'core-v1/PodIP': { ip: 'An address of the pod.' },
  'core-v1/HostIP': { ip: 'An address of the node.' },
  'core-v1/ContainerStatus': {
    allocatedResources: 'The resources that the node has set aside for the container.',
    allocatedResourcesStatus: 'The health of the devices of the container.',
    containerID: 'The id of the container, as type://id.',
    image: 'The image that runs; the runtime may have resolved the name.',
    imageID: 'The id of the image, often with its digest.',
    lastState: 'How the container ended last time, if it was restarted.',
    name: 'The container in the spec.',
    ready: 'Whether the readiness probe last succeeded, and the container runs.',
    resources: 'The resources that the container has now.',
    restartCount:
      'How often the container was restarted. Never gets smaller, but containers that were cleaned up are not counted.',
    started: 'Whether the postStart hook is done and the startup probe has succeeded.',
    state: 'What the container does now.',
    stopSignal: 'The signal that stops the container.',
    user: 'The user and groups that the first process started with.',
    volumeMounts: 'How the volumes of the container are mounted.',
  },
  'core-v1/ContainerState': {
    running: 'Set while the container runs.',
    terminated: 'Set when the container has ended.',
    waiting: 'Set while the container is not started yet.',
  },
  'core-v1/ContainerStateRunning': { startedAt: 'When the container was last started.' },
  'core-v1/ContainerStateTerminated': {
    containerID: 'The id of the container, as type://id.',
    exitCode: 'The exit code of the first process.',
    finishedAt: 'When the container ended.',
    message: 'What the container left in its termination message.',
    reason: 'Why it ended in a word, such as Completed, Error or OOMKilled.',
    signal: 'The signal that ended it.',
    startedAt: 'When the container was started.',
  },
  'core-v1/ContainerStateWaiting': {
    message: 'Why the container waits, for people.',
    reason: 'Why the container waits in a word, such as ContainerCreating or ImagePullBackOff.',
  },
  'core-v1/ContainerUser': { linux: 'The user and groups on Linux.' },
  'core-v1/LinuxContainerUser': {
    gid: 'The primary group id.',
    supplementalGroups: 'The other group ids.',
    uid: 'The user id.',
  },
  'core-v1/ResourceHealth': {
    health: 'Healthy, Unhealthy or Unknown.',
    message: 'A message of the driver about the health.',
    resourceID: 'The id of the device, unique on the node.',
  },
  'core-v1/ResourceStatus': {
    name: 'The resource, or the claim and request.',
    resources: 'The health of each device.',
  },
  'core-v1/VolumeMountStatus': {
    mountPath: 'Where the volume is mounted.',
    name: 'The volume.',
    readOnly: 'Whether it is mounted read-only.',
    recursiveReadOnly: 'Disabled or Enabled: whether the mounts below are read-only too.',
    volumeStatus: 'What is known of the volume itself.',
  },
  'core-v1/VolumeStatus': { image: 'The image of the volume.' },
  'core-v1/ImageVolumeStatus': { imageRef: 'The digest of the image.' },
  'core-v1/Binding': { target: 'The node that the pod is bound to.' },
};
