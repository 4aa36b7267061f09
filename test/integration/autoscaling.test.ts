import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

const minute = 60_000;
const labels = { app: 'web' };

/** CPUs that all pods use together, from so many minutes on. */
const loadCurve = [
  { from: 0, cores: 0.5 },
  { from: 10, cores: 4 },
  { from: 40, cores: 2 },
  { from: 80, cores: 8 },
  { from: 100, cores: 0.2 },
] as const;

/**
 * With a target of 500m a pod: ceil(4 / 0.5) = 8, but in one step not more than 4 or twice as many; ceil(2 / 0.5) = 4
 * when five minutes have passed without a higher recommendation; at most 12 of the 16 that 8 CPUs ask for.
 */
const replicaCounts = [1, 4, 8, 4, 8, 12, 1];

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
});

afterEach(() => cluster.stop());

async function createWorkload(): Promise<void> {
  await cluster.client.resource(refs.deployments, 'default').create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '1' } } }] },
      },
    },
  });
  await cluster.client.resource(refs.horizontalPodAutoscalers, 'default').create({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 12,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });
}

test('replicas follow two hours of load as the documented algorithm has it', async () => {
  const start = cluster.clock.now();
  let running = 1;
  cluster.nodes.setUsage(({ now }) => {
    const { cores } = loadCurve.findLast(({ from }) => now - start >= from * minute) ?? loadCurve[0];
    return { cpu: `${Math.round((cores / running) * 1000)}m`, memory: '32Mi' };
  });
  await createWorkload();
  const seen: number[] = [];
  for (let passed = 0; passed < 120 * minute; passed += 15_000) {
    await cluster.clock.advance(15_000);
    const deployment = await cluster.client.resource(refs.deployments, 'default').get('web');
    running = deployment.status?.readyReplicas ?? 1;
    const replicas = deployment.spec?.replicas ?? 0;
    if (replicas !== seen.at(-1)) seen.push(replicas);
  }
  expect(seen).toEqual(replicaCounts);
}, 300_000);

test('the usage of nodes and pods can be asked for', async () => {
  await createWorkload();
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
  const nobody = await cluster.client.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes/nobody');
  expect(nobody).toMatchObject({
    status: 404,
    body: { message: 'nodemetrics.metrics.k8s.io "nobody" not found' },
  });
});

test('a metrics server that somebody installs takes the place of the built-in one', async () => {
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
  expect(status?.conditions).toMatchObject([{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }]);
  expect((await cluster.client.raw('GET', path)).status).toBe(503);
  await services.delete('metrics-server');
  await cluster.clock.advance('1s');
  expect((await cluster.client.raw('GET', path)).status).toBe(200);
});
