import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';

const merge = { 'content-type': 'application/merge-patch+json' };
const condition = (type: string) => ({
  type,
  status: 'True',
  reason: 'E2E',
  message: 'Set from an e2e test',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const cases = [
  {
    kind: 'PersistentVolume',
    path: '/api/v1/persistentvolumes',
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' } },
    patched: { message: 'StatusPatched', reason: 'E2E patchStatus' },
    updated: { message: 'StatusUpdated', reason: 'E2E updateStatus' },
  },
  {
    kind: 'PersistentVolumeClaim',
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    patched: { conditions: [condition('StatusPatched')] },
    updated: { conditions: [condition('StatusPatched'), condition('StatusUpdate')] },
  },
  {
    kind: 'VolumeAttachment',
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
    patched: { attached: true },
    updated: { attached: false },
  },
];

describe('status of storage objects', () => {
  test.each(cases)('changes to the status of a $kind apply, and to it alone', async (one) => {
    const server = await startTestServer();
    const apiVersion = one.path.startsWith('/apis/') ? 'storage.k8s.io/v1' : 'v1';
    const object = { apiVersion, kind: one.kind, metadata: { name: 'x' }, spec: one.spec };
    expect((await server.call('POST', one.path, object)).status).toBe(201);
    const status = `${one.path}/x/status`;
    const patch = { metadata: { annotations: { patched: 'yes' } }, spec: { nodeName: 'other' }, status: one.patched };
    const patched = await server.call('PATCH', status, patch, merge);
    expect([patched.status, patched.body]).toMatchObject([200, { spec: one.spec, status: one.patched }]);
    const update = { ...patched.body, status: { ...patched.body.status, ...one.updated } };
    expect((await server.call('PUT', status, update)).status).toBe(200);
    const { body } = await server.call('GET', status);
    expect(body).toMatchObject({ spec: one.spec, status: one.updated });
  });
});
