import { type EndpointSlice, refs, type Service } from '@coracle/api';
import { Activity, DisposableStack, noMetrics, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import {
  conntrackConnections,
  createSystemRandom,
  hasTool,
  healthCheckPorts,
  nftFilter,
  systemClock,
} from '@coracle/platform-nodejs';
import { ServiceProxy } from '@coracle/proxy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeMachines } from './machines.js';
import { NodeNetwork, type Pod } from './node-network.js';

const hasConntrack = await hasTool('conntrack', ['--version']);

describe.skipIf(!canMakeMachines)('the service proxy on a network namespace as the node', { timeout: 120_000 }, () => {
  const parts = new DisposableStack();
  let network: NodeNetwork;
  let cluster: Cluster;
  let proxy: ServiceProxy;
  let a: Pod;
  let b: Pod;
  let client: Pod;

  async function startProxy(): Promise<ServiceProxy> {
    const informers = parts.use(
      createInformers({
        client: cluster.client,
        clock: systemClock,
        random: createSystemRandom(),
        logger: silentLogger,
      }),
    );
    const { netns } = network.node;
    const started = new ServiceProxy({
      informers,
      nodeName: 'node',
      families: [4, 6],
      filter: nftFilter({ netns }),
      connections: conntrackConnections({ netns, logger: silentLogger }),
      healthChecks: healthCheckPorts({ logger: silentLogger }),
      podNetworks: ['10.244.0.0/16', 'fd00:244::/32'],
      masqueradeAll: false,
      masqueradeBit: 14,
      nodePortAddresses: [],
      clock: systemClock,
      logger: silentLogger,
      metrics: noMetrics,
      activity: new Activity(),
      syncPeriodMs: 500,
    });
    informers.start();
    await started.started();
    return started;
  }

  beforeAll(async () => {
    network = await NodeNetwork.make();
    cluster = await startCluster({
      listen: false,
      nodes: 0,
      serviceRanges: { clusterIpRanges: ['10.96.0.0/16', 'fd00:96::/112'] },
    });
    [a, b, client] = [await network.pod('a'), await network.pod('b'), await network.pod('client')];
    proxy = await startProxy();
  }, 120_000);
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await parts[Symbol.asyncDispose]();
    await cluster?.stop();
    await network?.[Symbol.asyncDispose]();
  }, 60_000);

  const services = () => cluster.client.services('default');
  const slices = () => cluster.client.resource(refs.endpointSlices, 'default');
  type Endpoints = NonNullable<EndpointSlice['endpoints']>;
  const on = (pod: Pod, more: Partial<Endpoints[number]> = {}) => ({
    addresses: [pod.four],
    nodeName: 'node',
    ...more,
  });

  async function serve(
    name: string,
    spec: Service['spec'],
    endpoints: Endpoints,
    six: Endpoints = [],
  ): Promise<Service> {
    const protocol = spec?.ports?.[0]?.protocol ?? 'TCP';
    const made = await services().create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80, protocol }], ...spec },
    });
    for (const [family, list] of [['IPv4', endpoints] as const, ['IPv6', six] as const]) {
      if (list.length === 0) continue;
      await slices().create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: `${name}-${family.toLowerCase()}`, labels: { 'kubernetes.io/service-name': name } },
        addressType: family,
        ports: [{ port: 8080, protocol, name: spec?.ports?.[0]?.name ?? '' }],
        endpoints: [...list],
      });
    }
    await quiet();
    return made;
  }
  const setEndpoints = async (name: string, endpoints: Endpoints) => {
    const old = await slices().get(`${name}-ipv4`);
    await slices().update({ ...old, endpoints });
    await quiet();
  };
  let markers = 0;
  /** Waits until the kernel has all rules: events come in order, so a service that is created now is the last. */
  async function quiet(): Promise<void> {
    const made = await services().create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `marker-${++markers}` },
      spec: { ports: [{ port: 80 }] },
    });
    const slice = await slices().create({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `marker-${markers}`, labels: { 'kubernetes.io/service-name': `marker-${markers}` } },
      addressType: 'IPv4',
      ports: [{ port: 80, protocol: 'TCP', name: '' }],
      endpoints: [{ addresses: ['198.51.100.1'] }],
    });
    const key = `${ip(made)} . tcp . 80`;
    const isKnown = async () =>
      (await network.node.run('nft', 'get', 'element', 'ip', 'coracle-proxy', 'services', `{ ${key} }`)).code === 0;
    await until(isKnown);
    await services().delete(made.metadata.name ?? '');
    await slices().delete(slice.metadata.name ?? '');
  }
  async function until(isTrue: () => Promise<boolean>, seconds = 30): Promise<void> {
    const end = Date.now() + seconds * 1000;
    while (!(await isTrue())) {
      if (Date.now() > end) throw new Error(`it is not so after ${seconds} s`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const ip = (service: Service, i = 0) => service.spec?.clusterIPs?.[i] ?? '';
  const many = async (ask: () => Promise<string>, times = 12) => {
    const answers = await Promise.all(Array.from({ length: times }, ask));
    return [...new Set(answers.map((answer) => answer.split(' ')[0]))].sort();
  };

  test('a cluster address is reachable from a pod, the node and an endpoint itself, on both families', async () => {
    const web = await serve(
      'web',
      { ipFamilyPolicy: 'RequireDualStack' },
      [on(a), on(b)],
      [{ addresses: [a.six], nodeName: 'node' }],
    );
    expect(await many(() => client.machine.fetch(ip(web), 80))).toEqual(['a', 'b']);
    expect(await client.machine.fetch(ip(web), 80)).toContain(client.four);
    expect(await many(() => network.node.fetch(ip(web), 80))).toEqual(['a', 'b']);
    expect(await many(() => a.machine.fetch(ip(web), 80))).toEqual(['a', 'b']);
    expect(await client.machine.fetch(ip(web, 1), 80)).toBe(`a ${client.six}`);
    await setEndpoints('web', [on(b)]);
    expect(await many(() => client.machine.fetch(ip(web), 80))).toEqual(['b']);
  });

  test('without endpoints a connection is refused at once', async () => {
    const none = await serve('none', {}, []);
    for (const machine of [client.machine, network.node])
      expect(await machine.fetch(ip(none), 80)).toMatch(/after \d+ ms: Couldn't connect/);
  });

  test('a deleted service does not respond any more', async () => {
    const gone = await serve('gone', {}, [on(a)]);
    expect(await client.machine.fetch(ip(gone), 80)).toMatch(/^a /);
    await services().delete('gone');
    await quiet();
    expect(await client.machine.fetch(ip(gone), 80, 2)).toMatch(/^curl/);
  });

  test('affinity keeps a client with its endpoint until that is removed', async () => {
    const sticky = await serve('sticky', { sessionAffinity: 'ClientIP' }, [on(a), on(b)]);
    const first = await many(() => client.machine.fetch(ip(sticky), 80), 1);
    expect(await many(() => client.machine.fetch(ip(sticky), 80), 10)).toEqual(first);
    const other = first[0] === 'a' ? b : a;
    await setEndpoints('sticky', [on(other)]);
    expect(await many(() => client.machine.fetch(ip(sticky), 80), 4)).not.toEqual(first);
  });

  test('affinity is switched off and on again', async () => {
    const made = await serve('switch', { type: 'NodePort', sessionAffinity: 'ClientIP' }, [on(a), on(b)]);
    const places = [[ip(made), 80] as const, ['192.0.2.1', made.spec?.ports?.[0]?.nodePort ?? 0] as const];
    const change = async (sessionAffinity: string) => {
      await services().patch('switch', { spec: { sessionAffinity } }, { type: 'strategic' });
      await quiet();
    };
    const answers = async ([address, port]: readonly [string, number]) => {
      const names = new Set<string | undefined>();
      for (let i = 0; i < 6; i++) names.add((await client.machine.fetch(address, port, 10)).split(' ')[0]);
      return [...names].sort();
    };
    for (const place of places) expect([['a'], ['b']]).toContainEqual(await answers(place));
    await change('None');
    for (const place of places) await until(async () => (await answers(place)).join() === 'a,b', 100);
    await change('ClientIP');
    for (const place of places) expect([['a'], ['b']]).toContainEqual(await answers(place));
  });

  test('node ports, external addresses and load balancers from outside; policies and source ranges', async () => {
    const node = '192.0.2.1';
    const spec = { type: 'LoadBalancer', externalIPs: ['203.0.113.5'], loadBalancerSourceRanges: ['192.0.2.8/29'] };
    const made = await serve('lb', spec, [on(a)]);
    const port = made.spec?.ports?.[0]?.nodePort ?? 0;
    await services().updateStatus({
      ...(await services().get('lb')),
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    });
    await quiet();
    expect(await network.outside.fetch(node, port)).toMatch(/^a /);
    expect(await network.outside.fetch('fd00:2::1', port)).toMatch(/^curl/);
    expect(await client.machine.fetch(node, port)).toMatch(/^a /);
    expect(await network.node.fetch(node, port)).toMatch(/^a /);
    expect(await network.outside.fetch('203.0.113.5', 80)).toMatch(/^a /);
    expect(await network.outside.fetch('203.0.113.9', 80)).toMatch(/^a /);
    expect(await network.outside.fetch(node, port)).not.toContain('192.0.2.9');
    await services().update({
      ...(await services().get('lb')),
      spec: { ...(await services().get('lb')).spec, loadBalancerSourceRanges: ['198.51.100.0/24'] },
    });
    await quiet();
    expect(await network.outside.fetch('203.0.113.9', 80, 1)).toMatch(/timed out/);
    expect(await network.outside.fetch('203.0.113.5', 80)).toMatch(/^a /);
  });

  test('the local policy keeps the address of the client, and drops requests without a local endpoint', async () => {
    const made = await serve('local', { type: 'NodePort', externalTrafficPolicy: 'Local' }, [
      on(a),
      on(b, { nodeName: 'other' }),
    ]);
    const port = made.spec?.ports?.[0]?.nodePort ?? 0;
    for (let i = 0; i < 4; i++) expect(await network.outside.fetch('192.0.2.1', port)).toBe('a 192.0.2.9');
    await setEndpoints('local', [on(b, { nodeName: 'other' })]);
    expect(await network.outside.fetch('192.0.2.1', port, 1)).toMatch(/timed out/);
    expect(await client.machine.fetch('192.0.2.1', port)).toMatch(/^b /);
  });

  test('an endpoint that terminates serves while there is no other', async () => {
    const ending = { conditions: { ready: false, serving: true, terminating: true } };
    const made = await serve('ending', {}, [on(a, ending), on(b)]);
    expect(await many(() => client.machine.fetch(ip(made), 80))).toEqual(['b']);
    await setEndpoints('ending', [on(a, ending)]);
    expect(await many(() => client.machine.fetch(ip(made), 80), 3)).toEqual(['a']);
  });

  test.skipIf(!hasConntrack)('a client of UDP that goes on sending finds the new endpoint', async () => {
    const made = await serve('udp', { ports: [{ port: 80, protocol: 'UDP' }] }, [on(a)]);
    expect(await client.machine.ask(ip(made), 80, 40_001)).toMatch(/^a /);
    await setEndpoints('udp', [on(b)]);
    expect(await client.machine.ask(ip(made), 80, 40_001)).toMatch(/^b /);
  });

  test('flushed rules are written again', async () => {
    const made = await serve('flushed', {}, [on(a)]);
    await network.node.read('nft', 'flush', 'ruleset');
    await until(async () => /^a /.test(await client.machine.fetch(ip(made), 80, 2)));
  });

  test('killed while services change: the kernel is correct within a second of its restart, and clients keep their endpoints', async () => {
    const made = await serve('back', {}, [on(a)]);
    const sticky = await serve('kept', { sessionAffinity: 'ClientIP' }, [on(a), on(b)]);
    const first = await many(() => client.machine.fetch(ip(sticky), 80), 1);
    await proxy[Symbol.asyncDispose]();
    const old = await slices().get('back-ipv4');
    await slices().update({ ...old, endpoints: [on(b)] });
    const began = performance.now();
    proxy = await startProxy();
    const took = performance.now() - began;
    process.stdout.write(`the kernel was right ${took.toFixed(0)} ms after the proxy came back\n`);
    expect(await many(() => client.machine.fetch(ip(made), 80), 4)).toEqual(['b']);
    expect(await many(() => client.machine.fetch(ip(sticky), 80), 12)).toEqual(first);
    // A second on an idle machine.
    expect(took).toBeLessThan(20_000);
  });
});
