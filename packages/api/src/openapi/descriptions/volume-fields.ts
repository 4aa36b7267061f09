const awsDisk = 'Deprecated: served by the driver ebs.csi.aws.com.';
const removed = 'Deprecated, and removed from kubelets.';

/** Volumes of pods, persistent volumes and claims. */
export const volumeFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'core-v1/Volume': {
    awsElasticBlockStore: `An AWS disk. ${awsDisk}`,
    azureDisk: 'An Azure disk. Deprecated: served by the driver disk.csi.azure.com.',
    azureFile: 'An Azure file share. Deprecated: served by the driver file.csi.azure.com.',
    cephfs: `A Ceph file system. ${removed}`,
    cinder: 'An OpenStack disk. Deprecated: served by the driver cinder.csi.openstack.org.',
    fc: 'A disk on a Fibre Channel network.',
    flexVolume: 'A volume of an executable plugin on the node. Deprecated: use a CSI driver.',
    flocker: `A Flocker volume. ${removed}`,
    gcePersistentDisk: 'A GCE disk. Deprecated: served by the driver pd.csi.storage.gke.io.',
    gitRepo: 'A git repository. Deprecated and disabled: clone it into an emptyDir in an init container.',
    glusterfs: `A GlusterFS volume. ${removed}`,
    iscsi: 'An iSCSI disk.',
    photonPersistentDisk: `A Photon disk. ${removed}`,
    portworxVolume: 'A Portworx volume. Deprecated: served by the driver pxd.portworx.com.',
    quobyte: `A Quobyte volume. ${removed}`,
    rbd: `A Ceph block device. ${removed}`,
    scaleIO: `A ScaleIO volume. ${removed}`,
    storageos: `A StorageOS volume. ${removed}`,
    vsphereVolume: 'A vSphere disk. Deprecated: served by the driver csi.vsphere.vmware.com.',
  },
  'core-v1/PersistentVolumeSpec': {
    awsElasticBlockStore: `An AWS disk. ${awsDisk}`,
    azureDisk: 'An Azure disk. Deprecated: served by the driver disk.csi.azure.com.',
    azureFile: 'An Azure file share. Deprecated: served by the driver file.csi.azure.com.',
    capacity: 'How large the volume is.',
    cephfs: `A Ceph file system. ${removed}`,
    cinder: 'An OpenStack disk. Deprecated: served by the driver cinder.csi.openstack.org.',
    claimRef:
      'The claim that the volume is bound to. Set by the controller that binds them; to keep a volume for a claim, set it before.',
    csi: 'A volume of a CSI driver.',
    fc: 'A disk on a Fibre Channel network.',
    flexVolume: 'A volume of an executable plugin on the node. Deprecated: use a CSI driver.',
    flocker: `A Flocker volume. ${removed}`,
    gcePersistentDisk: 'A GCE disk. Deprecated: served by the driver pd.csi.storage.gke.io.',
    glusterfs: `A GlusterFS volume. ${removed}`,
    hostPath: 'A directory of the node. For tests on a single node: pods on other nodes see other files.',
    iscsi: 'An iSCSI disk.',
    local: 'A disk or directory of one node, which nodeAffinity must name.',
    mountOptions: 'Options of the mount, such as ro or soft. They are not checked: a wrong one makes the mount fail.',
    nfs: 'A directory of an NFS server.',
    nodeAffinity: 'From which nodes the volume can be reached. Pods that use it run there.',
    persistentVolumeReclaimPolicy:
      'What happens to the volume when its claim is deleted: Retain, Delete or Recycle (deprecated).',
    photonPersistentDisk: `A Photon disk. ${removed}`,
    portworxVolume: 'A Portworx volume. Deprecated: served by the driver pxd.portworx.com.',
    quobyte: `A Quobyte volume. ${removed}`,
    rbd: `A Ceph block device. ${removed}`,
    scaleIO: `A ScaleIO volume. ${removed}`,
    storageClassName: 'The storage class that the volume belongs to. Only claims of the same class are bound to it.',
    storageos: `A StorageOS volume. ${removed}`,
    volumeAttributesClassName: 'The volume attributes class that the volume was last given.',
    volumeMode: 'Filesystem (default), or Block to hand it out as a device.',
    vsphereVolume: 'A vSphere disk. Deprecated: served by the driver csi.vsphere.vmware.com.',
  },
  'core-v1/PersistentVolumeStatus': {
    lastPhaseTransitionTime: 'When the phase last changed.',
    message: 'Why the volume is in its phase, for people.',
    phase: 'Pending, Available, Bound, Released or Failed.',
    reason: 'Why the volume failed, in a word.',
  },
  'core-v1/PersistentVolumeClaimStatus': {
    allocatedResourceStatuses: 'How far a resize has come, for each resource.',
    allocatedResources: 'What is set aside for the claim while it is resized. Counts against quota.',
    capacity: 'How large the volume is that the claim is bound to.',
    currentVolumeAttributesClassName: 'The volume attributes class that the volume has now.',
    modifyVolumeStatus: 'How far a change of the volume attributes class has come.',
    phase: 'Pending, Bound, or Lost when its volume is gone.',
  },
  'core-v1/ModifyVolumeStatus': {
    status: 'Pending, InProgress or Infeasible.',
    targetVolumeAttributesClassName: 'The class that is being applied.',
  },
  'core-v1/PersistentVolumeClaimTemplate': {
    metadata: 'Labels and annotations of the created claim. A name is not allowed.',
    spec: 'The claim to create.',
  },
  'core-v1/PersistentVolumeClaimVolumeSource': { claimName: 'The claim, in the namespace of the pod.' },
  'core-v1/VolumeResourceRequirements': {
    limits: 'The maximum storage.',
    requests: 'The requested storage. May be increased later if the storage class allows it.',
  },
  'core-v1/VolumeNodeAffinity': { required: 'Requirements on nodes that can use the volume.' },
  'core-v1/EmptyDirVolumeSource': {
    medium: 'Where the files are: the disk of the node by default, Memory for a file system in memory, or HugePages.',
    sizeLimit: 'How much may be stored; the pod is evicted beyond it. Not limited by default.',
  },
  'core-v1/EphemeralVolumeSource': {
    volumeClaimTemplate:
      'The claim that is created for the pod and deleted with it; its name is the pod, a dash, and the volume.',
  },
  'core-v1/HostPathVolumeSource': {
    path: 'The path on the node. Symbolic links are followed.',
    type: 'What must exist or is created: DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice, BlockDevice. Not checked by default.',
  },
  'core-v1/LocalVolumeSource': {
    path: 'The path of the disk or directory on the node. A directory, or a device to be mounted.',
  },
  'core-v1/NFSVolumeSource': {
    path: 'The directory that the server exports.',
    server: 'The name or address of the server.',
  },
  'core-v1/ConfigMapVolumeSource': {
    items: 'The keys to show and the files for them. All keys by default, each in a file of its name.',
    name: 'The config map, in the namespace of the pod.',
  },
  'core-v1/SecretVolumeSource': {
    items: 'The keys to show and the files for them. All keys by default, each in a file of its name.',
    secretName: 'The secret, in the namespace of the pod.',
  },
  'core-v1/ConfigMapProjection': {
    items: 'The keys to show and the files for them. All keys by default, each in a file of its name.',
    name: 'The config map, in the namespace of the pod.',
  },
  'core-v1/SecretProjection': {
    items: 'The keys to show and the files for them. All keys by default, each in a file of its name.',
    name: 'The secret, in the namespace of the pod.',
  },
  'core-v1/KeyToPath': {
    key: 'The key to show.',
    mode: 'The permission bits of the file, 0 to 0777 octal. Those of the volume by default.',
    path: 'The path of the file in the volume; relative and without `..`.',
  },
  'core-v1/DownwardAPIVolumeSource': { items: 'The files, each with a field of the pod or a resource of a container.' },
  'core-v1/DownwardAPIProjection': { items: 'The files, each with a field of the pod or a resource of a container.' },
  'core-v1/DownwardAPIVolumeFile': {
    fieldRef: 'The field of the pod: its name, namespace, uid, labels or annotations.',
    mode: 'The permission bits of the file, 0 to 0777 octal. Those of the volume by default.',
    path: 'The path of the file in the volume; relative and without `..`.',
    resourceFieldRef: 'The resource of a container: a limit or request of cpu, memory or ephemeral storage.',
  },
  'core-v1/ProjectedVolumeSource': {
    sources: 'The sources in the directory. Each source is of exactly one kind.',
  },
  'core-v1/VolumeProjection': {
    clusterTrustBundle: 'Certificates of trust bundles, as one PEM file.',
    configMap: 'Keys of a config map.',
    downwardAPI: 'Fields of the pod and resources of its containers.',
    podCertificate: 'A key and a certificate for the pod, which the kubelet requests and renews.',
    secret: 'Keys of a secret.',
    serviceAccountToken: 'A token of the service account of the pod, which the kubelet renews.',
  },
  'core-v1/ServiceAccountTokenProjection': {
    audience: 'The intended recipients of the token. The API server by default.',
    expirationSeconds:
      'How long the token is valid, 600 seconds at least. 3600 by default; renewed after 80 percent of it.',
    path: 'The path of the token in the volume; relative and without `..`.',
  },
  'core-v1/ClusterTrustBundleProjection': {
    labelSelector: 'Selects the bundles of the signer. All of them if empty, none if absent.',
    name: 'One bundle by its name. Not together with signerName.',
    path: 'The path of the PEM file in the volume; relative and without `..`.',
    signerName: 'The signer whose bundles are taken. Not together with name.',
  },
  'core-v1/PodCertificateProjection': {
    certificateChainPath: 'The file for the certificate chain.',
    credentialBundlePath: 'One file for the key and the certificate chain, which can be read atomically.',
    keyPath: 'The file for the private key.',
    keyType: 'The type of the key: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.',
    maxExpirationSeconds: 'The longest that a certificate may be valid. 86400 by default; from 3600 to 7862400.',
    signerName: 'The signer that issues the certificate.',
    userAnnotations: 'Notes for the signer.',
  },
  'core-v1/CSIVolumeSource': {
    nodePublishSecretRef: 'The secret that is handed to the driver when the volume is mounted.',
    volumeAttributes: 'Settings for the driver.',
  },
  'core-v1/CSIPersistentVolumeSource': {
    controllerExpandSecretRef: 'The secret for expanding the volume in the storage system.',
    controllerPublishSecretRef: 'The secret for attaching the volume to nodes and detaching it.',
    nodeExpandSecretRef: 'The secret for expanding the volume on a node.',
    nodePublishSecretRef: 'The secret for mounting the volume for a pod.',
    nodeStageSecretRef: 'The secret for mounting the volume on a node.',
    volumeAttributes: 'Settings of the volume, from its provisioner.',
    volumeHandle: 'The id of the volume, as the driver names it. Cannot be changed.',
  },
  'core-v1/ImageVolumeSource': {
    pullPolicy: 'Always, Never or IfNotPresent. Always by default for the tag latest, else IfNotPresent.',
    reference: 'The image or artifact to mount. It is pulled as for a container, with the same secrets.',
  },
  'core-v1/AWSElasticBlockStoreVolumeSource': { partition: 'The partition to mount. The whole disk by default.' },
  'core-v1/GCEPersistentDiskVolumeSource': {
    partition: 'The partition to mount. The whole disk by default.',
    pdName: 'The name of the disk.',
  },
  'core-v1/AzureDiskVolumeSource': {
    cachingMode: 'None, ReadOnly or ReadWrite (default).',
    diskName: 'The name of the disk.',
    diskURI: 'The URI of the disk.',
    kind: 'Shared (default), Dedicated or Managed.',
  },
  'core-v1/AzureFilePersistentVolumeSource': {
    secretName: 'The secret with the account and key.',
    shareName: 'The name of the share.',
  },
  'core-v1/AzureFileVolumeSource': {
    secretName: 'The secret with the account and key.',
    shareName: 'The name of the share.',
  },
  'core-v1/CephFSPersistentVolumeSource': {
    path: 'The directory to mount. `/` by default.',
    secretFile: 'The key file on the node.',
    user: 'The Ceph user. admin by default.',
  },
  'core-v1/CephFSVolumeSource': {
    path: 'The directory to mount. `/` by default.',
    secretFile: 'The key file on the node.',
    user: 'The Ceph user. admin by default.',
  },
  'core-v1/FCVolumeSource': {
    targetWWNs: 'The worldwide names of the target.',
    wwids: 'The worldwide ids of the volume; instead of targetWWNs and lun.',
  },
  'core-v1/FlexPersistentVolumeSource': { options: 'Settings for the plugin.' },
  'core-v1/FlexVolumeSource': { options: 'Settings for the plugin.' },
  'core-v1/FlockerVolumeSource': {
    datasetName: 'The name of the dataset. Deprecated.',
    datasetUUID: 'The id of the dataset.',
  },
  'core-v1/GitRepoVolumeSource': {
    directory: 'The directory to clone into.',
    repository: 'The URL of the repository.',
    revision: 'The commit to check out.',
  },
  'core-v1/GlusterfsPersistentVolumeSource': {
    endpoints: 'The endpoints of the cluster.',
    endpointsNamespace: 'Their namespace; that of the claim by default.',
    path: 'The name of the volume.',
  },
  'core-v1/GlusterfsVolumeSource': { endpoints: 'The endpoints of the cluster.', path: 'The name of the volume.' },
  'core-v1/PhotonPersistentDiskVolumeSource': { pdID: 'The id of the disk.' },
  'core-v1/QuobyteVolumeSource': {
    group: 'The group that owns the files.',
    registry: 'The addresses of the registry services.',
    tenant: 'The tenant that owns the volume.',
    user: 'The user that owns the files.',
    volume: 'The name of the volume.',
  },
  'core-v1/RBDPersistentVolumeSource': {
    image: 'The name of the image.',
    keyring: 'The key ring file on the node. /etc/ceph/keyring by default.',
    pool: 'The pool of the image. rbd by default.',
    user: 'The Ceph user. admin by default.',
  },
  'core-v1/RBDVolumeSource': {
    image: 'The name of the image.',
    keyring: 'The key ring file on the node. /etc/ceph/keyring by default.',
    pool: 'The pool of the image. rbd by default.',
    user: 'The Ceph user. admin by default.',
  },
  'core-v1/StorageOSPersistentVolumeSource': {
    volumeName: 'The name of the volume in its namespace.',
    volumeNamespace: 'The namespace of the volume in StorageOS.',
  },
  'core-v1/StorageOSVolumeSource': {
    volumeName: 'The name of the volume in its namespace.',
    volumeNamespace: 'The namespace of the volume in StorageOS.',
  },
  'core-v1/VsphereVirtualDiskVolumeSource': {
    storagePolicyID: 'The id of the storage policy.',
    storagePolicyName: 'The name of the storage policy.',
    volumePath: 'The path of the disk file.',
  },
};

const iscsi: Readonly<Record<string, string>> = {
  chapAuthDiscovery: 'Whether discovery is authenticated by CHAP.',
  chapAuthSession: 'Whether sessions are authenticated by CHAP.',
  initiatorName: 'The name of the initiator, if it is not that of the node.',
  iqn: 'The qualified name of the target.',
  iscsiInterface: 'The interface that is used. default by default.',
  portals: 'More addresses of the target, as ip:port. The port may be left out if it is 3260.',
  targetPortal: 'The address of the target, as ip:port. The port may be left out if it is 3260.',
};
const scaleIo: Readonly<Record<string, string>> = {
  gateway: 'The address of the API gateway.',
  protectionDomain: 'The protection domain of the storage.',
  sslEnabled: 'Whether the gateway is accessed over TLS. False by default.',
  storageMode: 'ThickProvisioned or ThinProvisioned (default).',
  storagePool: 'The storage pool in the protection domain.',
  system: 'The name of the storage system.',
  volumeName: 'The name of the volume.',
};

/** Those that volumes of pods and persistent volumes have alike. */
export const twinVolumeFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'core-v1/ISCSIPersistentVolumeSource': iscsi,
  'core-v1/ISCSIVolumeSource': iscsi,
  'core-v1/ScaleIOPersistentVolumeSource': scaleIo,
  'core-v1/ScaleIOVolumeSource': scaleIo,
};
