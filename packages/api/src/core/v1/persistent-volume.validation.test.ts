import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../test-rules.js';

const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
};

test('a volume is kept, and mounted as a file system', () => {
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
    'a volume for one pod is for nobody else',
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
    'a CSI volume names its driver and the volume',
    { 'spec.hostPath': undefined, 'spec.csi': {} },
    ['spec.csi.driver: Required value', 'spec.csi.volumeHandle: Required value'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(volume, changes)).toEqual(want);
});

test('the source of a volume stays, and the message shows what changed', () => {
  const [problem] = problemsOnUpdate(volume, { 'spec.hostPath.path': '/other' });
  expect(problem).toContain('spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable');
  expect(problem).toContain('-  "Path": "/data",\n+  "Path": "/other",');
});
