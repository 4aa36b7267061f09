import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

const metadata = { name: 'web' };
const batchMs = 10_000;

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: {
      endpoints: { batchMs },
      endpointSlice: { batchMs: 2 * batchMs },
      endpointSliceMirroring: { batchMs },
    },
  });
});
afterEach(() => cluster.stop());

const slices = () => cluster.client.resource(refs.endpointSlices, 'default');

async function sliceAddresses(): Promise<string[]> {
  const { items } = await slices().list({ labelSelector: 'kubernetes.io/service-name=web' });
  return items.flatMap(({ endpoints }) => endpoints?.flatMap(({ addresses }) => addresses) ?? []);
}

async function addresses(): Promise<string[]> {
  const { subsets = [] } = await cluster.client.resource(refs.endpoints, 'default').get('web');
  return subsets.flatMap((subset) => subset.addresses?.map(({ ip }) => ip) ?? []);
}

async function runPod(name: string, ip: string): Promise<void> {
  const pods = cluster.client.pods('default');
  const pod = await pods.create({
    metadata: { name, labels: { app: 'web' } },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await pods.updateStatus({ ...pod, status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } });
}

test('changes of pods are batched for at most the period, and those of services are not', async () => {
  const { client, clock } = cluster;
  await client.nodes().create({ metadata: { name: 'n' } });
  const services = client.resource(refs.services, 'default');
  const service = await services.create({ metadata, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await cluster.settled();
  await runPod('a', '10.1.0.1');
  await clock.advance('6s');
  await runPod('b', '10.1.0.2');
  await clock.advance(3_999);
  expect([await addresses(), await sliceAddresses()]).toEqual([[], []]);
  await clock.advance(1);
  expect([await addresses(), await sliceAddresses()]).toEqual([['10.1.0.1', '10.1.0.2'], []]);
  await clock.advance('10s');
  expect((await sliceAddresses()).sort()).toEqual(['10.1.0.1', '10.1.0.2']);
  await clock.advance('1m');
  await runPod('c', '10.1.0.3');
  await services.update({
    ...(await services.get('web')),
    metadata: { ...service.metadata, resourceVersion: '', labels: { a: 'b' } },
  });
  await cluster.settled();
  expect([await addresses(), await sliceAddresses()].map(({ length }) => length)).toEqual([3, 3]);
});

test('a mirrored slice that was changed is repaired after the period, and Endpoints are mirrored at once', async () => {
  const { client, clock } = cluster;
  await client.resource(refs.services, 'default').create({ metadata, spec: { ports: [{ name: 'x', port: 80 }] } });
  await client
    .resource(refs.endpoints, 'default')
    .create({ metadata, subsets: [{ ports: [{ port: 80 }], addresses: [{ ip: '10.1.2.3' }] }] });
  await cluster.settled();
  expect(await sliceAddresses()).toEqual(['10.1.2.3']);
  await clock.advance('1m');
  const [slice] = (await slices().list({ labelSelector: 'kubernetes.io/service-name=web' })).items;
  await slices().patch(slice?.metadata.name ?? '', { endpoints: [] }, { type: 'merge' });
  await clock.advance(9_999);
  expect(await sliceAddresses()).toEqual([]);
  await clock.advance(1);
  expect(await sliceAddresses()).toEqual(['10.1.2.3']);
});
