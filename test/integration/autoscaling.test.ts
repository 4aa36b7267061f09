import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkload, followLoad, replicaCounts } from './autoscaling-scenario.js';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
});

afterEach(() => cluster.stop());

test('replicas follow two hours of load by the documented algorithm', async () => {
  await createWorkload(cluster);
  expect(await followLoad(cluster)).toEqual(replicaCounts);
}, 300_000);

test('the usage of nodes and pods can be requested', async () => {
  await createWorkload(cluster);
  cluster.nodes.setUsage(() => ({ cpu: '250m', memory: '64Mi' }));
  await cluster.clock.advance('1m');
  const pods = await cluster.client.raw(
    'GET',
    '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb',
  );
  expect(pods.body).toMatchObject({
    kind: 'PodMetricsList',
    items: [{ window: '15s', containers: [{ name: 'web', usage: { cpu: '250m', memory: '64Mi' } }] }],
  });
  const nodes = await cluster.client.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes/coracle-node-1');
  expect(nodes.body).toMatchObject({ kind: 'NodeMetrics', usage: { cpu: '250m', memory: '64Mi' } });
  const unknown = await cluster.client.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes/nobody');
  expect(unknown).toMatchObject({
    status: 404,
    body: { message: 'nodemetrics.metrics.k8s.io "nobody" not found' },
  });
});

test('a metrics server that a user installs replaces the built-in one', async () => {
  const path = '/apis/metrics.k8s.io/v1beta1/nodes';
  await cluster.settled();
  expect((await cluster.client.raw('GET', path)).status).toBe(200);
  const services = cluster.client.resource(refs.services, 'kube-system');
  await services.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics-server' },
    spec: { ports: [{ port: 443 }] },
  });
  await cluster.clock.advance('1s');
  const { status } = (await cluster.client.resource(refs.apiServices).get('v1beta1.metrics.k8s.io')) ?? {};
  expect(status?.conditions).toMatchObject([{ type: 'Available', status: 'False', reason: 'EndpointsNotFound' }]);
  expect((await cluster.client.raw('GET', path)).status).toBe(503);
  await services.delete('metrics-server');
  await cluster.clock.advance('1s');
  expect((await cluster.client.raw('GET', path)).status).toBe(200);
});
