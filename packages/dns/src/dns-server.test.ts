import { refs } from '@coracle/api';
import { noMetrics, seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { ClusterZone } from './cluster-zone.js';
import { DnsServer } from './dns-server.js';
import { Forwarder } from './forwarder.js';
import { queryFor } from './query.fixture.js';
import { readResponse } from './read-response.js';

test('each endpoint of a headless service comes first in its turn, however many there are', async () => {
  const count = 40;
  await using cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
  const { client, clock } = cluster;
  await client
    .services('default')
    .create({ metadata: { name: 'db' }, spec: { clusterIP: 'None', ports: [{ port: 1 }] } });
  await client.resource(refs.endpointSlices, 'default').create({
    metadata: { name: 'db-1', labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: Array.from({ length: count }, (_, i) => ({ addresses: [`10.244.0.${i + 1}`] })),
  });
  const shared = { clock, random: seededRandom(1), logger: silentLogger };
  await using informers = createInformers({ ...shared, client });
  const zone = new ClusterZone({ informers, domain: 'cluster.local' });
  const forwarder = new Forwarder({ ...shared, upstreams: [], query: () => Promise.reject(new Error('unreachable')) });
  using server = new DnsServer({ zone, forwarder, logger: silentLogger, metrics: noMetrics });
  informers.start();
  await cluster.settled();
  const firstOf = async (id: number) => {
    const packet = queryFor('db.default.svc.cluster.local', 'A', { id, payloadSize: 4096 });
    const response = readResponse((await server.answer(packet, 'udp')) ?? new Uint8Array());
    expect(response).toMatchObject({ id, truncated: false });
    expect(response?.answers).toHaveLength(count);
    return response?.answers[0]?.data.join('.');
  };
  const first = new Set<string | undefined>();
  for (let id = 0; id < count; id++) first.add(await firstOf(id));
  expect(first.size).toBe(count);
});
