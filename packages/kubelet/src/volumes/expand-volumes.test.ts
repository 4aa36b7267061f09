import type { PersistentVolume, PersistentVolumeClaim } from '@coracle/api';
import type { EventRecorder } from '@coracle/client';
import { expect, test } from 'vitest';
import { allocatable, fakeReferences, makePod, place } from '../builders.fixture.js';
import { fakeApi, sentBody } from '../fake-api.fixture.js';
import { expandVolumes } from './expand-volumes.js';
import type { CsiPlan } from './volume-host.js';

const volume = (storage: string): PersistentVolume => ({
  metadata: { name: 'pv-1' },
  spec: { capacity: { storage }, csi: { driver: 'd', volumeHandle: 'v-1' }, accessModes: ['ReadWriteOnce'] },
});
const claim: PersistentVolumeClaim = {
  metadata: { name: 'data' },
  status: {
    capacity: { storage: '1Gi' },
    conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
    allocatedResourceStatuses: { storage: 'NodeResizePending' },
  },
};

async function expanding(storage: string, expand: (plan: CsiPlan, bytes: number) => Promise<boolean>) {
  const done: unknown[] = [];
  const pod = makePod({
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    containers: [{ name: 'web', volumeMounts: [{ name: 'data', mountPath: '/d' }] }],
  });
  const references = { ...fakeReferences({ volumes: { data: volume(storage) } }), claim: async () => claim };
  const { client } = fakeApi((request) => {
    done.push([request.path, sentBody(request)]);
    return claim;
  });
  const recorder: Pick<EventRecorder, 'event'> = {
    event: (_about, type, reason, message) => void done.push(`${type} ${reason} ${message}`),
  };
  const inputFor = () => ({
    ...place,
    pod,
    references,
    allocatable,
    requestToken: async () => '',
    root: '/k',
  });
  const parts = { nodeName: 'n', client, references, recorder: recorder as EventRecorder, host: { expand }, inputFor };
  await expandVolumes(parts, pod);
  return done;
}

test('a volume that became larger is expanded, and the status of its claim is updated', async () => {
  const requests: unknown[] = [];
  const done = await expanding('2Gi', async ({ volumeHandle, target }, bytes) => {
    requests.push([volumeHandle, target, bytes]);
    return true;
  });
  expect(requests).toEqual([['v-1', '/k/pods/uid-1/volumes/kubernetes.io~csi/pv-1/mount', 2 ** 31]]);
  expect(done).toEqual([
    [
      '/api/v1/namespaces/shop/persistentvolumeclaims/data/status',
      { status: { capacity: { storage: '2Gi' }, conditions: null, allocatedResourceStatuses: { storage: null } } },
    ],
    'Normal FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume "pv-1" n',
  ]);
});

test('one that has its size is unchanged, and so is one whose driver does not expand', async () => {
  const never = () => Promise.reject(new Error('asked'));
  expect(await expanding('1Gi', never)).toEqual([]);
  expect(await expanding('2Gi', async () => false)).toEqual([]);
});

test('reports the error of the driver', async () => {
  const fails = () => Promise.reject(new Error('no room'));
  expect(await expanding('2Gi', fails)).toEqual([
    'Warning VolumeResizeFailed MountVolume.NodeExpandVolume failed for volume "pv-1" : no room',
  ]);
});
