type Words = Readonly<Record<string, string>>;

/** Of everything that is called a condition. */
export const conditionWords: Words = {
  error: 'What went wrong, if the component could not be asked.',
  lastHeartbeatTime: 'When the condition was last reported, whether or not it changed.',
  lastProbeTime: 'When the condition was last checked.',
  lastTransitionTime: 'When the status last changed from one value to another.',
  lastUpdateTime: 'When the condition was last written.',
  message: 'What the last change was about, for people. May be empty.',
  observedGeneration: 'The generation of the object that the condition is about.',
  reason: 'Why the status last changed: one word in CamelCase, for programs.',
  status: 'True, False or Unknown.',
  type: 'The name of the condition. There is at most one of each type.',
};

/** Fields that mean the same wherever they are, unless a definition says more. */
export const sharedWords: Words = {
  accessModes: 'How the volume can be mounted: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.',
  annotations: 'Notes of tools and people. Not used to select objects.',
  apiGroup: 'The API group of the object that is referred to. Empty for the core group.',
  conditions: 'What is known of the object, one entry for each type of condition.',
  collisionCount: 'How often the hash in a name was already taken; the controller adds it to the next one.',
  defaultMode: 'The permission bits of the files, 0 to 0777 octal. 0644 by default; `mode` of a file overrides it.',
  driver: 'The name of the driver that handles the volume.',
  fsType: 'The file system to mount, such as ext4 or xfs. Must be one that the operating system of the node supports.',
  fullyLabeledReplicas: 'Pods that have all labels of the template.',
  labelSelector: 'Selects objects by their labels. An empty selector selects all, an absent one none.',
  lun: 'The logical unit number of the target.',
  matchExpressions: 'Requirements on labels. All of them must be met.',
  monitors: 'The addresses of the Ceph monitors.',
  observedGeneration: 'The generation of the object that the controller has acted on.',
  operator: 'How the key and the values are compared.',
  optional: 'If true, the source may be missing. False by default: without it, the container or volume waits.',
  podSelector: 'Selects pods by their labels. An empty selector selects all pods of the namespace.',
  readOnly: 'If true, the volume is mounted read-only. False by default.',
  secretRef: 'The secret with the credentials for the storage.',
  secretNamespace: 'The namespace of the secret. That of the pod by default.',
  serverAddressByClientCIDRs: 'The address of the server for clients of each network.',
  terminatingReplicas: 'Pods that are being deleted and have not ended yet.',
  volumeID: 'The id of the disk or volume in the system that provides it.',
};
