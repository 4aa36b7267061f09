import { beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const pods = '/api/v1/namespaces/default/pods';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const reviews = '/apis/authorization.k8s.io/v1';
const elsewhere = 'the namespace of the provided object does not match the namespace sent on the request';
const target = { kind: 'Node', name: 'n' };

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await server.call('POST', pods, { metadata: { name: 'p' }, spec: template.spec });
  const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };
  await server.call('POST', deployments, { metadata: { name: 'd' }, spec });
});

const attributes = { namespace: 'default', verb: 'get', resource: 'pods' };

test.each([
  ['POST', `${pods}/p/eviction`, { name: 'p' }, {}],
  ['POST', `${pods}/p/binding`, { name: 'p' }, { target }],
  ['POST', '/api/v1/namespaces/default/bindings', { name: 'p' }, { target }],
  ['PUT', `${deployments}/d/scale`, { name: 'd' }, { spec: { replicas: 1 } }],
  [
    'POST',
    `${reviews}/namespaces/default/localsubjectaccessreviews`,
    {},
    { spec: { user: 'x', resourceAttributes: attributes } },
  ],
])('%s %s is refused with the namespace of another request', async (method, path, metadata, rest) => {
  const { status, body } = await server.call(method, path, { metadata: { ...metadata, namespace: 'other' }, ...rest });
  expect([status, body.message]).toEqual([400, elsewhere]);
});

test.each([
  [{ name: 'e' }, 'the name of the object (e) does not match the name on the URL (d)'],
  [{}, 'the name of the object (d based on URL) was undeterminable: name must be provided'],
])('a Scale with the metadata %j is refused', async (metadata, message) => {
  const { status, body } = await server.call('PUT', `${deployments}/d/scale`, { metadata, spec: { replicas: 1 } });
  expect([status, body.message]).toEqual([400, message]);
});

test('an eviction and a binding may state the uid of the pod', async () => {
  for (const [subresource, rest] of [
    ['binding', { target }],
    ['eviction', {}],
  ] as const) {
    const { status } = await server.call('POST', `${pods}/p/${subresource}`, {
      metadata: { name: 'p', uid: 'other' },
      ...rest,
    });
    expect([subresource, status]).toEqual([subresource, subresource === 'binding' ? 409 : 201]);
  }
});

test('the priority classes of the system cannot be deleted by name', async () => {
  const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const { status, body } = await server.call('DELETE', `${path}/system-node-critical`);
  expect([status, body.message]).toEqual([
    403,
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  ]);
  await server.call('POST', path, { metadata: { name: 'own' }, value: 1 });
  expect((await server.call('DELETE', `${path}/own`)).status).toBe(200);
});
