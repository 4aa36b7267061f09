import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store, StoreError } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../server.fixture.js';

const path = '/api/v1/namespaces/default/services';
const addresses = '/apis/networking.k8s.io/v1/ipaddresses';

function service(name: string, spec: Record<string, unknown> = {}): unknown {
  return { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

async function start(nodePortRange = '30000-32767', range = '10.96.0.0/16'): Promise<TestServer> {
  return startTestServer({ serviceRanges: { clusterIpRanges: [range], nodePortRange } });
}

async function namesAt({ call }: TestServer, at: string): Promise<string[]> {
  const { body } = await call('GET', at);
  return body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
}

/** Writes services and then does not say so, while `isCut`. */
async function storeInDoubt(clock: VirtualClock, isCut: () => boolean): Promise<Store> {
  const inner = await createMemoryStore({ clock });
  const transact: Store['transact'] = async (transaction) => {
    const result = await inner.transact(transaction);
    const isService = transaction.operations.some(({ key }) => key.startsWith('/registry/services/specs/default/'));
    if (isService && isCut()) throw new StoreError('Unavailable', 'etcd does not answer');
    return result;
  };
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = name === 'transact' ? transact : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a service of which it is unknown whether it was stored', () => {
  const exposed = { type: 'NodePort', clusterIP: '10.96.9.9', ports: [{ port: 80, nodePort: 30_000 }] };

  test.each(['created', 'exposed'])('keeps the address and the port with which it is %s', async (how) => {
    const clock = new VirtualClock();
    let isCut = false;
    const store = await storeInDoubt(clock, () => isCut);
    const serviceRanges = { clusterIpRanges: ['10.96.0.0/16'], nodePortRange: '30000-30001' };
    const { call } = await startTestServer({ store, clock, serviceRanges });
    const send = async () => {
      if (how === 'created') return await call('POST', path, service('web', exposed));
      const { body } = await call('GET', `${path}/web`);
      return await call('PUT', `${path}/web`, { ...body, spec: exposed });
    };
    if (how === 'exposed') await call('POST', path, service('web', { type: 'ExternalName', externalName: 'x.org' }));
    isCut = true;
    const { status, body } = await send();
    expect([status, body.reason]).toEqual([500, 'ServerTimeout']);
    isCut = false;
    const others = [
      await call('POST', path, service('other', { clusterIP: '10.96.9.9' })),
      await call('POST', path, service('another', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_000 }] })),
    ];
    expect(others.map((other) => other.status)).toEqual([422, 422]);
    expect((await call('GET', `${path}/web`)).body.spec.clusterIP).toBe('10.96.9.9');
  });
});

describe('RES-13 STORE-37 cluster IPs', () => {
  test('a service gets one, and an IPAddress object refers to it', async () => {
    const server = await start();
    const { body } = await server.call('POST', path, service('web'));
    expect(body.spec).toMatchObject({ clusterIPs: [body.spec.clusterIP], ipFamilies: ['IPv4'] });
    const address = await server.call('GET', `${addresses}/${body.spec.clusterIP}`);
    expect(address.body.spec.parentRef).toEqual({ resource: 'services', namespace: 'default', name: 'web' });
    expect(address.body.metadata.labels).toEqual({
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    });
  });

  test('it is released when the service is deleted, and when it becomes an ExternalName', async () => {
    const server = await start();
    const before = await namesAt(server, addresses);
    await server.call('POST', path, service('web'));
    await server.call('POST', path, service('named'));
    await server.call('DELETE', `${path}/web`);
    const spec = { type: 'ExternalName', externalName: 'x.org' };
    const patch = { 'content-type': 'application/merge-patch+json' };
    const changed = await server.call('PATCH', `${path}/named`, { spec: { ...spec, ports: null } }, patch);
    expect([changed.status, changed.body.spec.clusterIP]).toEqual([200, undefined]);
    expect(await namesAt(server, addresses)).toEqual(before);
  });

  test.each([
    ['10.96.9.9', 'provided IP is already allocated'],
    ['10.96.0.0', 'the provided IP (10.96.0.0) is not in the valid range. The range of valid IPs is 10.96.0.0/16'],
    ['192.168.0.1', 'the provided network does not match the current range'],
  ])('%s is refused: %s', async (clusterIP, why) => {
    const server = await start();
    await server.call('POST', path, service('first', { clusterIP: '10.96.9.9' }));
    const { status, body } = await server.call('POST', path, service('second', { clusterIP }));
    const message = `Service "second" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: ${why}`;
    expect([status, body.message]).toEqual([422, message]);
  });

  test('two hundred concurrent services get two hundred addresses, until there are none left', async () => {
    const server = await start('30000-32767', '10.0.0.0/24');
    const taken = (await namesAt(server, addresses)).length;
    const all = Array.from({ length: 254 - taken }, (_, i) => server.call('POST', path, service(`s${i}`)));
    const clusterIps = (await Promise.all(all)).map(({ body }) => body.spec.clusterIP);
    expect(new Set(clusterIps).size).toBe(254 - taken);
    const { status, body } = await server.call('POST', path, service('late'));
    expect([status, body.message]).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP: range is full',
    ]);
  });

  test('a headless service takes none, and a dry run keeps none', async () => {
    const server = await start();
    const before = await namesAt(server, addresses);
    await server.call('POST', path, service('headless', { clusterIP: 'None' }));
    const dry = await server.call('POST', `${path}?dryRun=All`, service('dry', { type: 'NodePort' }));
    expect(dry.body.spec).toMatchObject({ clusterIP: '10.96.0.0', ports: [{ nodePort: 32_768 }] });
    expect(await namesAt(server, addresses)).toEqual(before);
  });

  test('a dry run sees allocated ports', async () => {
    const { call } = await start();
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] };
    await call('POST', path, service('a', spec));
    const { status, body } = await call('POST', `${path}?dryRun=All`, service('b', spec));
    expect([status, body.message.includes('provided port is already allocated')]).toEqual([422, true]);
  });

  test('a service whose name exists releases its address', async () => {
    const server = await start();
    await server.call('POST', path, service('web'));
    const before = await namesAt(server, addresses);
    expect((await server.call('POST', path, service('web'))).status).toBe(409);
    expect(await namesAt(server, addresses)).toEqual(before);
  });

  test('the default range is an object that is ready', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    expect(body.spec.cidrs).toEqual(['10.96.0.0/16']);
    expect(body.status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });
});

describe('RES-13 STORE-37 node ports', () => {
  const nodePort = (ports: unknown[]) => ({ type: 'NodePort', ports });

  test('a port in use is rejected at its field', async () => {
    const { call } = await start();
    await call('POST', path, service('a', nodePort([{ port: 80, nodePort: 30_080 }])));
    const { status, body } = await call('POST', path, service('b', nodePort([{ port: 80, nodePort: 30_080 }])));
    const message =
      'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated';
    expect([status, body.message]).toEqual([422, message]);
  });

  test('a port outside the range is refused', async () => {
    const { call } = await start();
    const { body } = await call('POST', path, service('b', nodePort([{ port: 80, nodePort: 80 }])));
    expect(body.message).toContain('provided port is not in the valid range. The range of valid ports is 30000-32767');
  });

  test('TCP and UDP of one number share a port, which the service holds until both are removed', async () => {
    const { call } = await start();
    const ports = [
      { name: 'tcp', port: 53, protocol: 'TCP' },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ];
    const { body } = await call('POST', path, service('dns', nodePort(ports)));
    expect(body.spec.ports[0].nodePort).toBe(body.spec.ports[1].nodePort);
  });

  test('of parallel creates none gets the port of another, and the port of a deleted one is allocated again', async () => {
    const { call } = await start('30000-30019');
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, i) => call('POST', path, service(`s${i}`, nodePort([{ port: 80 }])))),
    );
    const nodePorts = answers.filter(({ status }) => status === 201).map(({ body }) => body.spec.ports[0].nodePort);
    expect([nodePorts.length, new Set(nodePorts).size]).toEqual([20, 20]);
    const winner = answers.find(({ status }) => status === 201)?.body;
    await call('DELETE', `${path}/${winner.metadata.name}`);
    const again = await call('POST', path, service('again', nodePort([{ port: 80 }])));
    expect(again.body.spec.ports[0].nodePort).toBe(winner.spec.ports[0].nodePort);
  });

  test('externalTrafficPolicy Local allocates a health check node port', async () => {
    const { call } = await start();
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const { body } = await call('POST', path, service('lb', spec));
    expect(body.spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
  });
});

describe('BOOT-13 BOOT-14 BOOT-16 what the repair reports', () => {
  /** Services as a store may contain them after writes that bypassed the server, or with an older range. */
  async function startAgain(specs: Readonly<Record<string, Record<string, unknown>>>) {
    const clock = new VirtualClock();
    const store = await createMemoryStore({ clock });
    const former = await startTestServer({
      store,
      clock,
      serviceRanges: { clusterIpRanges: ['10.0.0.0/8'], nodePortRange: '20000-40000' },
    });
    for (const [name, spec] of Object.entries(specs)) await former.call('POST', path, service(name, spec));
    return { former, store, clock, next: () => startTestServer({ store, clock }) };
  }

  async function eventsIn({ call }: TestServer): Promise<string[]> {
    const { body } = await call('GET', '/api/v1/namespaces/default/events');
    return body.items.map((event: { reason: string; message: string }) => `${event.reason}: ${event.message}`).sort();
  }

  test('is reported as events on the services, once', async () => {
    const { former, next, clock } = await startAgain({
      a: { clusterIP: '10.96.0.50', type: 'NodePort', ports: [{ port: 80, nodePort: 30_050 }] },
      far: { clusterIP: '10.1.0.50', type: 'NodePort', ports: [{ port: 80, nodePort: 20_050 }] },
    });
    await former.call('DELETE', `${addresses}/10.96.0.50`);
    await former.call('DELETE', '/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    const server = await next();
    await clock.advance(10 * 60_000);
    expect(await eventsIn(server)).toEqual([
      'ClusterIPNotAllocated: Cluster IP [IPv4]: 10.96.0.50 is not allocated; repairing',
      'ClusterIPOutOfRange: Cluster IP [IPv4]: 10.0.0.1 is not within any configured Service CIDR; please recreate service',
      'ClusterIPOutOfRange: Cluster IP [IPv4]: 10.1.0.50 is not within any configured Service CIDR; please recreate service',
      'PortOutOfRange: Port 20050 is not within the port range 30000-32767; please recreate service',
    ]);
    expect(await namesAt(server, addresses)).toContain('10.96.0.50');
  });
});

test('BOOT-13 BOOT-15 an address without a service is released after some rounds', async () => {
  const server = await start();
  const { parts } = server.server;
  const lost = {
    metadata: { name: '10.96.7.7', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
  };
  const ref = {
    group: 'networking.k8s.io',
    version: 'v1',
    resource: 'ipaddresses',
    kind: 'IPAddress',
    namespaced: false,
  };
  const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'gone' } };
  await parts.writer.create(ref, { ...lost, spec } as never);
  await server.clock.advance(10 * 60_000);
  expect(await namesAt(server, addresses)).not.toContain('10.96.7.7');
});
