import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
};

test('a volume is retained, and mounted as a file system', () => {
  const { spec, status } = withDefaults(volume);
  expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
  expect(status.phase).toBe('Pending');
});

test.each<[string, Changes, string[]]>([
  ['a volume is somewhere', { 'spec.hostPath': undefined }, ['spec: Required value: must specify a volume type']],
  [
    'in one place',
    { 'spec.nfs': { server: 's', path: '/p' } },
    ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'its size is storage',
    { 'spec.capacity': { cpu: '1' } },
    ['spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
  ],
  [
    'and not nothing',
    { 'spec.capacity.storage': '0' },
    ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'ReadWriteOncePod excludes other access modes',
    { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteMany'] },
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  [
    'a local volume says where it is',
    { 'spec.hostPath': undefined, 'spec.local': { path: '/disk' } },
    ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  ],
  [
    'the whole machine is never recycled',
    { 'spec.hostPath.path': '/', 'spec.persistentVolumeReclaimPolicy': 'Recycle' },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    'a name that only looks like a way up is a place of its own',
    { 'spec.hostPath.path': '/...', 'spec.persistentVolumeReclaimPolicy': 'Recycle' },
    [],
  ],
  [
    'an iSCSI volume has a qualified name, a unit and, with an initiator, a short portal',
    {
      'spec.hostPath': undefined,
      'spec.iscsi': { targetPortal: 'x'.repeat(62), iqn: 'abc', lun: 256, initiatorName: 'iqn.x', secretRef: {} },
    },
    [
      `spec.iscsi.targetportal: Invalid value: "${'x'.repeat(62)}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
      'spec.iscsi.iqn: Invalid value: "abc": must be valid format',
      'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'spec.iscsi.secretRef.name: Required value',
      'spec.iscsi.initiatorname: Invalid value: "iqn.x": must be valid format',
    ],
  ],
  [
    'options of a driver keep clear of names that are reserved',
    { 'spec.hostPath': undefined, 'spec.flexVolume': { driver: 'd', options: { 'a.k8s.io/x': '1', y: '2' } } },
    [
      'spec.flexVolume.options[a.k8s.io/x]: Invalid value: "a.k8s.io/x": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    'a namespace of endpoints is a namespace',
    { 'spec.hostPath': undefined, 'spec.glusterfs': { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
    [
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
  ],
  [
    'a CSI volume names its driver and the volume',
    { 'spec.hostPath': undefined, 'spec.csi': {} },
    ['spec.csi.driver: Required value', 'spec.csi.volumeHandle: Required value'],
  ],
  [
    'and whole secrets, but for staging',
    {
      'spec.hostPath': undefined,
      'spec.csi': { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: {}, nodeExpandSecretRef: { name: 's' } },
    },
    ['spec.csi.nodeExpandSecretRef.namespace: Required value'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(volume, changes)).toEqual(want);
});

test('the source of a volume is immutable, and the message shows the change', () => {
  const [problem] = problemsOnUpdate(volume, { 'spec.hostPath.path': '/other' });
  expect(problem).toContain('spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable');
  expect(problem).toContain('-  "Path": "/data",\n+  "Path": "/other",');
});
