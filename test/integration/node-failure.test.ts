import type { Node, Pod } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isReady, isStaying, makeDeployment } from './workloads.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 3, seed: 1 });
  await cluster.client.deployments('default').create(makeDeployment({ replicas: 6 }));
  await cluster.settled();
});
afterAll(() => cluster.stop());

test('a node that stops answering loses its pods after five minutes and more, and they run elsewhere', async () => {
  const lost = 'coracle-node-2';
  const before = (await podsOn(lost)).map(({ metadata }) => metadata.name);
  expect(before).not.toHaveLength(0);
  await cluster.nodes.stopNode(lost);

  await cluster.clock.advance('60s');
  expect(readiness(await cluster.client.nodes().get(lost))).toBe('Unknown');
  expect((await podsOn(lost)).filter(isStaying)).toHaveLength(before.length);

  await cluster.clock.advance('6m');

  const { items } = await cluster.client.pods('default').list();
  const running = items.filter((pod) => isStaying(pod) && isReady(pod));
  expect(running).toHaveLength(6);
  expect(running.map(({ spec }) => spec?.nodeName)).not.toContain(lost);
  expect((await podsOn(lost)).filter(isStaying)).toEqual([]);
});

async function podsOn(node: string): Promise<readonly Pod[]> {
  return (await cluster.client.pods('default').list({ fieldSelector: `spec.nodeName=${node}` })).items;
}

function readiness({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
