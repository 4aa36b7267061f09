import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

const node = (name: string, podCIDR?: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: podCIDR ? { podCIDR, podCIDRs: [podCIDR] } : {},
});

test('addresses of services are not allocated to nodes', async () => {
  const ranges = [
    { cidr: '10.0.0.0/22', maskSize: 24 },
    { cidr: 'fd00::/60', maskSize: 64 },
  ];
  const serviceRanges = ['10.0.0.7/23', 'fd00::1/64'];
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    nodeIpam: { ranges, serviceRanges },
  });
  await cluster.client.nodes().create(node('a'));
  await cluster.settled();
  expect((await cluster.client.nodes().get('a')).spec?.podCIDRs).toEqual(['10.0.2.0/24', 'fd00:0:0:1::/64']);
});

test('nodes get distinct ranges, keep them, and release them when they are deleted', async () => {
  const ranges = [
    { cidr: '10.244.0.0/22', maskSize: 24 },
    { cidr: 'fd00:244::/60', maskSize: 64 },
  ];
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, nodeIpam: { ranges } });
  const nodes = cluster.client.nodes();
  const cidrs = async (name: string) => (await nodes.get(name)).spec?.podCIDRs;
  await nodes.create(node('own', '10.244.1.0/24'));
  await Promise.all(['a', 'b', 'c'].map((name) => nodes.create(node(name))));
  await cluster.settled();
  const assigned = await Promise.all(['a', 'b', 'c'].map(cidrs));
  expect(assigned.map((one) => one?.[0]).sort()).toEqual(['10.244.0.0/24', '10.244.2.0/24', '10.244.3.0/24']);
  expect(new Set(assigned.map((one) => one?.[1])).size).toBe(3);
  expect(await cidrs('own')).toEqual(['10.244.1.0/24']);
  await nodes.create(node('late'));
  await cluster.settled();
  expect(await cidrs('late')).toBeUndefined();
  await nodes.delete('b');
  await cluster.settled();
  expect((await cidrs('late'))?.[0]).toBe(assigned[1]?.[0]);
});

test('a new node does not get the CIDR of a node that was just deleted', async () => {
  const ranges = [{ cidr: '10.244.0.0/16', maskSize: 24 }];
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, nodeIpam: { ranges } });
  const nodes = cluster.client.nodes();
  await nodes.create(node('a'));
  await cluster.settled();
  await nodes.delete('a');
  await nodes.create(node('b'));
  await cluster.settled();
  expect((await nodes.get('b')).spec?.podCIDR).toBe('10.244.1.0/24');
});
