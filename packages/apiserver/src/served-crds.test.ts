import { expect, test } from 'vitest';
import { startTestServer } from './server.fixture.js';

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer', default: 1 } } } },
  },
};
const crd = {
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
};

test('a server with its own CRDs serves those, and no built-in resources', async () => {
  const { call } = await startTestServer({ crds: [crd], bootstraps: false });
  const boats = '/apis/example.com/v1/namespaces/default/boats';
  expect((await call('GET', '/apis/example.com/v1')).body.resources?.map(({ name }: { name: string }) => name)).toEqual(
    ['boats'],
  );
  const made = await call('POST', boats, {
    apiVersion: 'example.com/v1',
    kind: 'Boat',
    metadata: { name: 'b' },
    spec: {},
  });
  expect([made.status, made.body.spec]).toEqual([201, { n: 1 }]);
  expect((await call('GET', boats)).body.items).toHaveLength(1);
  expect((await call('GET', '/api/v1/pods')).status).toBe(404);
  expect((await call('GET', '/apis')).body.groups.map(({ name }: { name: string }) => name)).toEqual(['example.com']);
});
