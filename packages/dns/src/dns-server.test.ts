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

test('a forwarded answer has an OPT record for clients that sent one, and none for others', async () => {
  await using cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
  const { client, clock } = cluster;
  const shared = { clock, random: seededRandom(1), logger: silentLogger };
  await using informers = createInformers({ ...shared, client });
  const zone = new ClusterZone({ informers, domain: 'cluster.local' });
  const query = async (_server: string, packet: Uint8Array) => {
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7];
    const [question, opt] = [packet.subarray(12, -11), packet.subarray(-11)];
    const [high = 0, low = 0] = packet;
    return Uint8Array.from([high, low, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 1, ...question, ...record, ...opt]);
  };
  const forwarder = new Forwarder({ ...shared, upstreams: ['192.0.2.53'], query });
  using server = new DnsServer({ zone, forwarder, logger: silentLogger, metrics: noMetrics });
  informers.start();
  await cluster.settled();
  const ask = async (payloadSize?: number) => {
    const packet = queryFor('www.example.com', 'A', payloadSize === undefined ? {} : { payloadSize });
    const bytes = (await server.answer(packet, 'udp')) ?? new Uint8Array();
    const { answers, ttlsAt } = readResponse(bytes) ?? {};
    return [answers?.map(({ data }) => data.join('.')), ttlsAt?.length, bytes[11], bytes.length];
  };
  const plain = [['192.0.2.7'], 1, 0, 49];
  const extended = [['192.0.2.7'], 1, 1, 60];
  // The second of each comes from the cache.
  expect([await ask(), await ask(), await ask(4096), await ask()]).toEqual([plain, plain, extended, plain]);
});

test('each endpoint of a headless service is first in turn, for any number of them', async () => {
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
