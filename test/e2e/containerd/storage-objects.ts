const storage = 'storage.k8s.io/v1';

/** One object of each kind whose lifecycle the conformance tests of sig-storage go through. */
export const storageObjects = [
  {
    apiVersion: storage,
    kind: 'CSIDriver',
    metadata: { name: 'inline.example.com' },
    spec: { volumeLifecycleModes: ['Ephemeral'] },
  },
  {
    apiVersion: storage,
    kind: 'CSINode',
    metadata: { name: 'somewhere' },
    spec: { drivers: [{ name: 'a.example.com', nodeID: 'n' }] },
  },
  {
    apiVersion: storage,
    kind: 'CSIStorageCapacity',
    metadata: { name: 'room' },
    storageClassName: 'fast',
    nodeTopology: {},
    capacity: '1Gi',
  },
  { apiVersion: storage, kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'a.example.com' },
  {
    apiVersion: storage,
    kind: 'VolumeAttachment',
    metadata: { name: 'attached' },
    spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
  },
  {
    apiVersion: storage,
    kind: 'VolumeAttributesClass',
    metadata: { name: 'gold' },
    driverName: 'a.example.com',
    parameters: { iops: '9' },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp/pv' },
      storageClassName: 'none',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'claim' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' },
  },
];
