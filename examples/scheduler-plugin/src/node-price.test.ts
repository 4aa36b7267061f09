import { startCluster } from 'coracle';
import { expect, test } from 'vitest';
import entry from './node-price.js';

function node(name: string, price: string) {
  const amounts = { cpu: '4', memory: '8Gi', pods: '110' };
  return {
    metadata: { name, labels: { 'example.com/price': price } },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function pod(name: string, maxPrice?: string) {
  return {
    metadata: { name, ...(maxPrice && { annotations: { 'example.com/max-price': maxPrice } }) },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  };
}

test('pods go to the cheapest node, and wait while none is within their budget', async () => {
  const scheduler = { extraPlugins: [entry] };
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, scheduler });
  const pods = cluster.client.pods('default');
  await cluster.client.nodes().create(node('dear', '9'));
  await cluster.client.nodes().create(node('cheap', '2'));
  for (const one of [pod('any'), pod('poor', '1')]) await pods.create(one);
  await cluster.settled();
  expect((await pods.get('any')).spec?.nodeName).toBe('cheap');
  const poor = await pods.get('poor');
  expect(poor.status?.conditions?.[0]?.message).toContain("2 node(s) exceeded the pod's budget");

  await cluster.client.nodes().create(node('gift', '1'));
  await cluster.clock.advance('10s');
  expect((await pods.get('poor')).spec?.nodeName).toBe('gift');
});
