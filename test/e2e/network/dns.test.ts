import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { refs } from '@coracle/api';
import { DisposableStack, type LogFields, type Logger, noMetrics, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { ClusterZone, DnsServer, Forwarder } from '@coracle/dns';
import { createSystemRandom, listenDns, queryDnsServer, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled, run } from '../run.js';

const port = 15_353;
const upstreamPort = 15_354;

describe('cluster DNS over sockets, queried by the resolver of Node.js', { timeout: 120_000 }, () => {
  const parts = new DisposableStack();
  const logged: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message: string, fields?: LogFields) => void logged.push(`${message} ${fields?.['reason']}`),
  };
  let cluster: Cluster;
  // Longer than the forwarder waits for an upstream server: the kernel limits the rate of ICMP errors, so a closed port may time out.
  const resolver = new Resolver({ timeout: 10_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const web = 'web.default.svc.cluster.local';
  const db = 'db.default.svc.cluster.local';
  const addresses: Record<string, string> = {};

  beforeAll(async () => {
    cluster = await startCluster({
      listen: false,
      nodes: 0,
      serviceRanges: { clusterIpRanges: ['10.96.0.0/16', 'fd00:96::/112'] },
    });
    const services = cluster.client.services('default');
    const make = (name: string, spec: object) =>
      services.create({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
    const made = await make('web', { ipFamilyPolicy: 'RequireDualStack', ports: [{ name: 'http', port: 80 }] });
    addresses['web'] = made.spec?.clusterIPs?.[0] ?? '';
    addresses['web6'] = made.spec?.clusterIPs?.[1] ?? '';
    await make('db', { clusterIP: 'None', ports: [{ name: 'tcp', port: 5432 }] });
    await make('big', { clusterIP: 'None', ports: [{ port: 1 }] });
    await make('inner', { type: 'ExternalName', externalName: web });
    await make('outer', { type: 'ExternalName', externalName: 'example.test' });
    const slice = (name: string, of: string, endpoints: object[]) =>
      cluster.client.resource(refs.endpointSlices, 'default').create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, labels: { 'kubernetes.io/service-name': of } },
        addressType: 'IPv4',
        ports: [{ name: of === 'db' ? 'tcp' : '', port: 5432, protocol: 'TCP' }],
        endpoints: endpoints as never,
      });
    await slice('db-1', 'db', [
      { addresses: ['10.244.0.5'], hostname: 'db-0' },
      { addresses: ['10.244.0.6'], hostname: 'db-1' },
      { addresses: ['10.244.0.7'], conditions: { ready: false } },
    ]);
    await slice(
      'big-1',
      'big',
      Array.from({ length: 90 }, (_, i) => ({ addresses: [`10.245.0.${i + 1}`] })),
    );
    const shared = { clock: systemClock, random: createSystemRandom(), logger };
    const informers = parts.use(createInformers({ ...shared, client: cluster.client }));
    const forwarder = new Forwarder({ ...shared, upstreams: [`127.0.0.1#${upstreamPort}`], query: queryDnsServer });
    const zone = new ClusterZone({ informers, domain: 'cluster.local' });
    const server = parts.use(new DnsServer({ zone, forwarder, logger, metrics: noMetrics }));
    informers.start();
    await informers.synced();
    parts.use(await listenDns({ server, addresses: ['127.0.0.1'], port, logger }));
  });
  afterAll(async () => {
    await parts[Symbol.asyncDispose]();
    await cluster?.stop();
  });

  test('services', async () => {
    expect(await resolver.resolve4(web)).toEqual([addresses['web']]);
    expect(await resolver.resolve4(web.toUpperCase())).toEqual([addresses['web']]);
    expect(await resolver.resolve6(web)).toEqual([addresses['web6']]);
    expect(await resolver.resolveSrv(`_http._tcp.${web}`)).toEqual([{ name: web, port: 80, priority: 0, weight: 100 }]);
    expect(await resolver.resolvePtr(`${addresses['web']?.split('.').reverse().join('.')}.in-addr.arpa`)).toEqual([
      web,
    ]);
    expect(await resolver.resolveTxt('dns-version.cluster.local')).toEqual([['1.1.0']]);
  });

  test('a short name that a client has not completed', async () => {
    expect(await resolver.resolve4('web.default')).toEqual([addresses['web']]);
    expect(await resolver.resolve4('web.default.svc')).toEqual([addresses['web']]);
  });

  test('headless services and their pods', async () => {
    expect((await resolver.resolve4(db)).sort()).toEqual(['10.244.0.5', '10.244.0.6']);
    expect(await resolver.resolve4(`db-1.${db}`)).toEqual(['10.244.0.6']);
    const servers = await resolver.resolveSrv(`_tcp._tcp.${db}`);
    expect(servers.map(({ name, port: at }) => `${name}:${at}`).sort()).toEqual([`db-0.${db}:5432`, `db-1.${db}:5432`]);
    expect(await resolver.resolvePtr('5.0.244.10.in-addr.arpa')).toEqual([`db-0.${db}`]);
    const firsts = new Set(await Promise.all([0, 1, 2, 3].map(async () => (await resolver.resolve4(db))[0])));
    expect(firsts.size).toBe(2);
  });

  test('pods, aliases, and unknown names', async () => {
    expect(await resolver.resolve4('10-244-0-9.default.pod.cluster.local')).toEqual(['10.244.0.9']);
    expect(await resolver.resolve4('inner.default.svc.cluster.local')).toEqual([addresses['web']]);
    expect(await resolver.resolveCname('outer.default.svc.cluster.local')).toEqual(['example.test']);
    for (const name of ['nobody.default.svc.cluster.local', 'web.nowhere.svc.cluster.local', `x.${web}`])
      await expect(resolver.resolve4(name)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve6(db)).rejects.toMatchObject({ code: 'ENODATA' });
    const soa = await resolver.resolveSoa('cluster.local');
    expect(soa.nsname).toBe('ns.dns.cluster.local');
  });

  test('an answer that is too large for UDP is sent over TCP', async () => {
    expect(await resolver.resolve4('big.default.svc.cluster.local')).toHaveLength(90);
  });

  test('other names are forwarded, and cached for their TTL', async () => {
    let count = 0;
    await using upstream = createSocket('udp4');
    upstream.on('message', (packet, from) => {
      count++;
      const end = packet.indexOf(0, 12) + 5;
      const head = Uint8Array.of(packet[0] ?? 0, packet[1] ?? 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0);
      const record = Uint8Array.of(0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7);
      upstream.send(Buffer.concat([head, packet.subarray(12, end), record]), from.port, from.address);
    });
    upstream.bind(upstreamPort, '127.0.0.1');
    await once(upstream, 'listening');
    expect(await resolver.resolve4('example.test')).toEqual(['203.0.113.7']);
    expect(await resolver.resolve4('example.test')).toEqual(['203.0.113.7']);
    expect(count).toBe(1);
    expect(await resolver.resolve4('outer.default.svc.cluster.local')).toEqual(['203.0.113.7']);
    await upstream[Symbol.asyncDispose]();
    await expect(resolver.resolve4('other.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  test('changed records are answered at once', async () => {
    const later = 'later.default.svc.cluster.local';
    await expect(resolver.resolve4(later)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const made = await cluster.client.services('default').create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'later' },
      spec: { ports: [{ port: 80 }] },
    });
    await cluster.settled();
    expect(await resolver.resolve4(later)).toEqual([made.spec?.clusterIP]);
  });

  test('malformed packets are refused, logged once, and harm no other client', async () => {
    const socket = createSocket('udp4');
    for (let i = 0; i < 200; i++)
      socket.send(
        Uint8Array.from({ length: i % 40 }, (_, j) => (i * 7 + j * 13) & 0x7f),
        port,
        '127.0.0.1',
      );
    const half = createConnection(port, '127.0.0.1', () => half.write(Uint8Array.of(255, 255, 1)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await resolver.resolve4(web)).toEqual([addresses['web']]);
    socket.close();
    half.destroy();
    expect(logged.length).toBeGreaterThan(0);
    expect(new Set(logged).size).toBe(logged.length);
  });

  test.skipIf(!isInstalled('busybox', ['true']))('nslookup of busybox', async () => {
    const { stdout } = await run('busybox', ['nslookup', web, `127.0.0.1:${port}`], { timeoutMs: 5000 });
    expect(stdout).toContain(addresses['web']);
  });
});
