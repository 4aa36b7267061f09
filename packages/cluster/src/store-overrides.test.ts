import { afterEach, expect, test } from 'vitest';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

test('KEY-06 a cluster works with events and pods in stores of their own', async () => {
  const memory = { kind: 'memory' } as const;
  cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    storeOverrides: [
      { resources: ['/events', 'coordination.k8s.io/leases'], store: memory },
      { resources: ['/pods'], store: memory },
    ],
  });
  const { client } = cluster;
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
  };
  const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
  await client.deployments('default').create({ metadata: { name: 'web' }, spec });
  await cluster.clock.advance('10s');
  expect((await client.deployments('default').get('web')).status?.readyReplicas).toBe(3);
  const { items } = await client.events('default').list();
  expect(new Set(items.map(({ reason }) => reason))).toContain('Scheduled');
  await client.deployments('default').delete('web');
  await cluster.clock.advance('1m');
  expect((await client.pods('default').list()).items).toEqual([]);
});
