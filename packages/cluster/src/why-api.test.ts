import { refs } from '@coracle/api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, whyApi: true });
  await cluster.settled();
});
afterEach(() => cluster.stop());

const authenticated = ['system:authenticated'];
const root = '/apis/scheduling.coracle.dev/v1alpha1';
const why = (name: string) => `${root}/namespaces/default/pods/${name}/why`;

async function createPod(name: string, cpu: string): Promise<void> {
  const containers = [{ name: 'app', image: 'app', resources: { requests: { cpu } } }];
  await cluster.client.resource(refs.pods, 'default').create({ metadata: { name }, spec: { containers } });
  await cluster.clock.advance('5s');
}

test('a pod has a subresource that explains where it is, or why it waits', async () => {
  await createPod('small', '100m');
  await createPod('huge', '1000');
  expect(await cluster.client.raw('GET', why('small'))).toMatchObject({
    status: 200,
    body: { kind: 'PodExplanation', metadata: { name: 'small' }, node: 'coracle-node-1', suggestions: [] },
  });
  const { body } = await cluster.client.raw('GET', why('huge'));
  expect(body).toMatchObject({
    nodes: [{ node: 'coracle-node-1', refusals: [{ plugin: 'NodeResourcesFit' }] }],
    attempts: [{ outcome: 'unschedulable' }],
  });
  expect((body as { suggestions: unknown[] }).suggestions).not.toEqual([]);
});

test('a pod that stays where a new one would not fit needs no change', async () => {
  await createPod('early', '100m');
  const taints = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' as const }];
  await cluster.client.resource(refs.nodes).patch('coracle-node-1', { spec: { taints } }, { type: 'merge' });
  await cluster.clock.advance('5s');
  expect(await cluster.client.raw('GET', why('early'))).toMatchObject({
    body: { node: 'coracle-node-1', nodes: [{ refusals: [{ plugin: 'TaintToleration' }] }], suggestions: [] },
  });
});

test('it is in discovery, and rejects requests that it cannot explain', async () => {
  const { body } = await cluster.client.raw('GET', root);
  expect(body).toMatchObject({ resources: [{ name: 'pods/why', namespaced: true, verbs: ['get'] }] });
  const service = await cluster.client.resource(refs.apiServices).get('v1alpha1.scheduling.coracle.dev');
  expect(service.status?.conditions).toMatchObject([{ type: 'Available', status: 'True' }]);
  expect(await cluster.client.raw('GET', why('nobody'))).toMatchObject({
    status: 404,
    body: { message: 'pods "nobody" not found' },
  });
  expect(await cluster.client.raw('DELETE', why('nobody'))).toMatchObject({ status: 405 });
});

test('a pod of another scheduler is left to that', async () => {
  const spec = { schedulerName: 'theirs', containers: [{ name: 'app', image: 'app' }] };
  await cluster.client.resource(refs.pods, 'default').create({ metadata: { name: 'other' }, spec });
  await cluster.settled();
  expect(await cluster.client.raw('GET', why('other'))).toMatchObject({
    status: 503,
    body: { message: 'the pod is left to the scheduler "theirs", which does not run in this server' },
  });
});

test('a user who may view pods has access', async () => {
  await createPod('web', '100m');
  const bindings = cluster.client.resource(refs.roleBindings, 'default');
  await bindings.create({
    metadata: { name: 'jane' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
  });
  await cluster.settled();
  expect((await cluster.controlPlane.clientFor('jane', authenticated).raw('GET', why('web'))).status).toBe(200);
  expect((await cluster.controlPlane.clientFor('joe', authenticated).raw('GET', why('web'))).status).toBe(403);
});
