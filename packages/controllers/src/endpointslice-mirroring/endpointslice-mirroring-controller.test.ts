import { refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

const metadata = { name: 'custom' };

test('of each subset no more addresses are mirrored than the flag says', async () => {
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: { endpointSliceMirroring: { maxEndpoints: 2 } },
  });
  const { client } = cluster;
  const addresses = ['10.1.0.1', '10.1.0.2', '10.1.0.3'].map((ip) => ({ ip }));
  await client.resource(refs.services, 'default').create({ metadata, spec: { ports: [{ name: 'x', port: 80 }] } });
  const endpoints = client.resource(refs.endpoints, 'default');
  await endpoints.create({ metadata, subsets: [{ ports: [{ port: 80 }], addresses }] });
  await cluster.settled();
  const labelSelector = 'kubernetes.io/service-name=custom';
  const { items } = await client.resource(refs.endpointSlices, 'default').list({ labelSelector });
  expect(items.flatMap((slice) => slice.endpoints ?? [])).toHaveLength(2);
  const events = await client.resource(refs.events, 'default').list();
  expect(events.items.find(({ reason }) => reason === 'TooManyAddressesToMirror')?.message).toBe(
    'A max of 2 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped',
  );
});

test('Endpoints without a selector are mirrored, updated, and deleted with their slices, without events', async () => {
  const complaints: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => void complaints.push(message) };
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, logger });
  const endpoints = cluster.client.resource(refs.endpoints, 'default');
  const slices = cluster.client.resource(refs.endpointSlices, 'default');
  const addresses = async () => {
    await cluster.settled();
    const { items } = await slices.list({ labelSelector: 'kubernetes.io/service-name=custom' });
    return items.flatMap(({ endpoints: all }) => all?.flatMap((one) => one.addresses) ?? []);
  };
  const at = (ip: string) => ({ metadata, subsets: [{ ports: [{ port: 80 }], addresses: [{ ip }] }] });
  await cluster.client
    .resource(refs.services, 'default')
    .create({ metadata, spec: { ports: [{ name: 'x', port: 80 }] } });
  await endpoints.create(at('10.1.2.3'));
  expect(await addresses()).toEqual(['10.1.2.3']);
  await endpoints.update(at('10.2.3.4'));
  expect(await addresses()).toEqual(['10.2.3.4']);
  await endpoints.delete('custom');
  expect(await addresses()).toEqual([]);
  expect(complaints).toEqual([]);
});
