import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const events = '/apis/events.k8s.io/v1/events';
const unsupported = 'field label not supported: ';

/** Path, field, and whether field selectors support it. */
const fields: readonly (readonly [string, string, boolean])[] = [
  ['/api/v1/pods', 'spec.host', true],
  ['/api/v1/pods', 'metadata.namespace', true],
  ['/api/v1/nodes', 'spec.unschedulable', true],
  ['/api/v1/nodes', 'metadata.namespace', false],
  ['/api/v1/namespaces', 'status.phase', true],
  ['/api/v1/namespaces', 'name', false],
  ['/api/v1/namespaces', 'metadata.namespace', false],
  ['/api/v1/events', 'involvedObject.kind', true],
  ['/api/v1/events', 'reportingComponent', true],
  ['/api/v1/events', 'regarding.kind', false],
  ['/api/v1/events', 'reportingController', false],
  [events, 'regarding.kind', true],
  [events, 'reportingController', true],
  [events, 'source', true],
  [events, 'involvedObject.kind', false],
  [events, 'reportingComponent', false],
  ['/apis/resource.k8s.io/v1/resourceslices', 'spec.driver', true],
  ['/apis/resource.k8s.io/v1/resourceslices', 'metadata.namespace', false],
];

test.each(fields)('WATCH-05 %s by the field %s: %s', async (path, field, isSupported) => {
  const { call } = await startTestServer();
  const { status, body } = await call('GET', `${path}?fieldSelector=${field}%3Dx`);
  expect(status).toBe(isSupported ? 200 : 400);
  if (!isSupported) expect(body.message).toBe(unsupported + field);
});

test.each(['/api/v1/persistentvolumes', '/api/v1/persistentvolumeclaims'])(
  'WATCH-05 %s by its name alone',
  async (path) => {
    const { call } = await startTestServer();
    const { body } = await call('GET', `${path}?fieldSelector=name%3Dx`);
    expect(body.message).toBe('"name" is not a known field selector: only "metadata.name", "metadata.namespace"');
  },
);

test('WATCH-05 a pod is found by the old name of its node', async () => {
  const { call } = await startTestServer();
  const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
  await call('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'a' }, spec });
  const { body } = await call('GET', '/api/v1/pods?fieldSelector=spec.host%3Dnode-1');
  expect(body.items).toHaveLength(1);
});
