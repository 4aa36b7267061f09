import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { nullEmptyLists } from './null-empty-lists.js';

test('empty lists become null, wherever they are', () => {
  const object = { metadata: {}, spec: { drivers: [{ keys: [] }, { keys: ['a'] }] }, rules: [] };
  nullEmptyLists('rules', 'spec.drivers', 'spec.drivers.keys')(object);
  expect(object).toEqual({ metadata: {}, spec: { drivers: [{ keys: null }, { keys: ['a'] }] }, rules: null });
});

test('absent lists stay absent', () => {
  const object = { metadata: {} };
  nullEmptyLists('spec.drivers.keys')(object);
  expect(object).toEqual({ metadata: {} });
});

describe('empty lists before they are stored', () => {
  const lists = new Set(['rules', 'limits', 'drivers', 'topologyKeys', 'requests', 'endpoints', 'ports', 'sources']);

  test.each([
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', { rules: [] }],
    ['/api/v1/namespaces/default/limitranges', { spec: { limits: [] } }],
    ['/apis/storage.k8s.io/v1/csinodes', { spec: { drivers: [] } }],
    ['/apis/storage.k8s.io/v1/csinodes', { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: [] }] } }],
    ['/apis/resource.k8s.io/v1/namespaces/default/resourceclaims', { spec: { devices: { requests: [] } } }],
    ['/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { addressType: 'IPv4', endpoints: [], ports: [] }],
    [
      '/apis/batch/v1/namespaces/default/jobs',
      {
        spec: {
          podFailurePolicy: { rules: [] },
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    ],
    [
      '/api/v1/namespaces/default/pods',
      { spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected: { sources: [] } }] } },
    ],
  ])('are unchanged when they are sent again to %s', async (path, object) => {
    const { call } = await startTestServer();
    const { status, body } = await call('POST', path, { metadata: { name: 'x' }, ...object });
    expect(status).toBe(201);
    const sent = JSON.parse(JSON.stringify(body), (key, value) => (lists.has(key) && value === null ? [] : value));
    expect(sent).not.toEqual(body);
    const again = await call('PUT', `${path}/x`, sent);
    expect([again.status, again.body]).toEqual([200, body]);
  });
});
