import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { expect, onTestFinished, test } from 'vitest';
import { startCluster } from '../start-cluster.js';
import { type PublishedNetwork, publishNetwork, readPublishedNetwork } from './published-network.js';

const dualStack: PublishedNetwork = {
  clusterCidrs: ['10.244.0.0/16', 'fd00:10:244::/56'],
  serviceCidrs: ['10.96.0.0/16', 'fd00:10:96::/112'],
  backend: 'vxlan',
  clusterDomain: 'cluster.example',
};

async function start() {
  const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
  onTestFinished(() => cluster.stop());
  await cluster.settled();
  const node = cluster.controlPlane.clientFor('system:node:joined', ['system:nodes', 'system:authenticated']);
  return { cluster, node };
}

const usual: PublishedNetwork = { clusterCidrs: ['10.244.0.0/16'], serviceCidrs: ['10.96.0.0/16'] };

test.each([dualStack, usual, { ...usual, connectsPods: false }])(
  'a node reads the network that is published: %j',
  async (network) => {
    const { cluster, node } = await start();
    await publishNetwork(cluster.client, network);
    // The settings that the cluster finds at the next start.
    await publishNetwork(cluster.client, network);
    await cluster.settled();
    expect(await readPublishedNetwork(node)).toEqual(network);
  },
);

test('in a cluster that publishes none, nodes find none', async () => {
  const { cluster, node } = await start();
  expect(await readPublishedNetwork(node)).toBeUndefined();
  expect(await readPublishedNetwork(cluster.client)).toBeUndefined();
});

test('nodes of a published network may read its objects, but not other config maps and secrets', async () => {
  const { cluster, node } = await start();
  const pods = () => node.resource(refs.pods, 'default').list();
  await expect(pods()).rejects.toMatchObject({ status: { code: 403 } });
  await publishNetwork(cluster.client, dualStack);
  await cluster.settled();
  expect((await pods()).items).toEqual([]);
  const followed: readonly ResourceRef<KubeObject>[] = [
    refs.nodes,
    refs.namespaces,
    refs.services,
    refs.endpointSlices,
    refs.networkPolicies,
  ];
  for (const ref of followed) expect(await node.resource(ref).list()).toHaveProperty('items');
  for (const ref of [refs.configMaps, refs.secrets])
    await expect(node.resource(ref, 'kube-system').list()).rejects.toMatchObject({ status: { code: 403 } });
});
