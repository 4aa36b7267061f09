import { type corev1, type discoveryv1, refs, schemaOfKind } from '@coracle/api';
import { decodeKind } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import type { ApiServer } from '../api-server-options.js';
import { startTestServer } from '../server.fixture.js';
import { ServerLeases } from './server-leases.js';

async function twoServers() {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const start = async (host: string) => {
    const { server } = await startTestServer({ store, clock, sharesStore: true });
    await server.announce({ host, port: 6443 });
    return server;
  };
  return { clock, store, first: await start('10.0.0.2'), second: await start('10.0.0.1') };
}

function addresses({ objects }: ApiServer): (readonly string[])[] {
  const endpoints = objects.get(refs.endpoints, 'default', 'kubernetes') as corev1.Endpoints | undefined;
  const slice = objects.get(refs.endpointSlices, 'default', 'kubernetes') as discoveryv1.EndpointSlice | undefined;
  return [
    endpoints?.subsets?.flatMap((subset) => subset.addresses?.map(({ ip }) => ip) ?? []) ?? [],
    slice?.endpoints?.flatMap((endpoint) => endpoint.addresses) ?? [],
  ];
}

const both = ['10.0.0.1', '10.0.0.2'];

describe('the kubernetes service of several servers', () => {
  test('BOOT-07 BOOT-08 has all that are alive behind it, in order', async () => {
    const { clock, first, second } = await twoServers();
    await clock.advance(60_000);
    for (const server of [first, second]) expect(addresses(server)).toEqual([both, both]);
  });

  test('KEY-03 each keeps a key with its address, as kube-apiserver does', async () => {
    const { store } = await twoServers();
    const { value = new Uint8Array(), lease } = (await store.get('/registry/masterleases/10.0.0.2')) ?? {};
    expect(decodeKind(value, schemaOfKind)).toMatchObject({
      apiVersion: 'v1',
      kind: 'Endpoints',
      subsets: [{ addresses: [{ ip: '10.0.0.2' }] }],
    });
    expect(lease).toBeTruthy();
  });

  test('BOOT-01 BOOT-12 SERVE-11 loses one that ends at once', async () => {
    const { clock, first, second } = await twoServers();
    await first[Symbol.asyncDispose]();
    await clock.settle();
    expect(addresses(second)).toEqual([['10.0.0.1'], ['10.0.0.1']]);
  });

  test('BOOT-08 loses one that has died when its lease is over', async () => {
    const { clock, store, first } = await twoServers();
    await new ServerLeases(store).renew('10.0.0.7');
    await clock.advance(10_000);
    expect(addresses(first)[0]).toEqual([...both, '10.0.0.7']);
    await clock.advance(20_000);
    expect(addresses(first)).toEqual([both, both]);
  });

  test('BOOT-09 keeps the last one, which will return', async () => {
    const { clock, first, second } = await twoServers();
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await clock.settle();
    expect(addresses(second)[0]).toEqual(['10.0.0.1']);
  });
});

test('FLAG-21 FLAG-22 BOOT-11 by count, servers write themselves in, as long as there are not too many', async () => {
  const clock = new VirtualClock();
  const store = await createMemoryStore({ clock });
  const start = async (host: string) => {
    const endpointReconciler = { kind: 'master-count', servers: 2 } as const;
    const { server } = await startTestServer({ store, clock, sharesStore: true, endpointReconciler });
    await server.announce({ host, port: 6443 });
    await clock.settle();
    return server;
  };
  const first = await start('10.0.0.2');
  await start('10.0.0.1');
  expect(addresses(first)).toEqual([both, both]);
  const third = await start('10.0.0.3');
  expect(addresses(first)[0]).toEqual(['10.0.0.1', '10.0.0.3']);
  expect(await new ServerLeases(store).hosts()).toEqual([]);
  await third[Symbol.asyncDispose]();
  expect(addresses(first)[0]).toEqual(['10.0.0.1']);
});

test('FLAG-22 BOOT-11 without a reconciler the service exists and has no endpoints', async () => {
  const { server, clock } = await startTestServer({ endpointReconciler: { kind: 'none' } });
  await server.announce({ host: '10.0.0.9', port: 7443 });
  await clock.settle();
  expect(addresses(server)).toEqual([[], []]);
  expect(server.objects.get(refs.services, 'default', 'kubernetes')).toMatchObject({
    spec: { ports: [{ targetPort: 7443 }] },
  });
});

test('FLAG-24 BOOT-05 the service can be reached at a port of nodes', async () => {
  const { server, clock } = await startTestServer({ serviceRanges: { kubernetesNodePort: 30443 } });
  await server.announce({ host: '10.0.0.9', port: 7443 });
  await clock.settle();
  expect(server.objects.get(refs.services, 'default', 'kubernetes')).toMatchObject({
    spec: { type: 'NodePort', ports: [{ port: 443, targetPort: 7443, nodePort: 30443 }] },
  });
});

test('BOOT-04 BOOT-06 the service is restored within ten seconds, and keeps changes of users until the next start', async () => {
  const { server, call, clock } = await startTestServer();
  await server.announce({ host: '10.0.0.9', port: 7443 });
  const path = '/api/v1/namespaces/default/services/kubernetes';
  const ports = async () => (await call('GET', path)).body.spec?.ports?.map((port: { port: number }) => port.port);
  await call('DELETE', path);
  expect(await ports()).toBeUndefined();
  await clock.advance(10_000);
  expect(await ports()).toEqual([443]);
  expect((await call('GET', path)).body.spec.ports[0].targetPort).toBe(7443);
  const { body } = await call('GET', path);
  body.spec.ports.push({ name: 'more', port: 444, targetPort: 7443, protocol: 'TCP' });
  await call('PUT', path, body);
  await clock.advance(60_000);
  expect(await ports()).toEqual([443, 444]);
  await server.announce({ host: '10.0.0.9', port: 7443 });
  expect(await ports()).toEqual([443]);
});

test('BOOT-10 endpoints that a client has changed are restored', async () => {
  const { server, call, clock } = await startTestServer();
  await server.announce({ host: '10.0.0.9', port: 7443 });
  const path = '/api/v1/namespaces/default/endpoints/kubernetes';
  const wrong = [
    { addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'https', port: 1 }] },
    { addresses: [{ ip: '10.0.0.2' }] },
  ];
  await call('PUT', path, { metadata: { name: 'kubernetes' }, subsets: wrong });
  await clock.advance(10_000);
  expect((await call('GET', path)).body.subsets).toEqual([
    { addresses: [{ ip: '10.0.0.9' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] },
  ]);
});

test('BOOT-05 a single server is the only endpoint of the service, and nothing is written repeatedly', async () => {
  const { server, clock } = await startTestServer();
  await server.announce({ host: '10.0.0.9', port: 7443 });
  await clock.settle();
  expect(addresses(server)).toEqual([['10.0.0.9'], ['10.0.0.9']]);
  expect(server.objects.get(refs.services, 'default', 'kubernetes')).toMatchObject({
    metadata: { labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: { type: 'ClusterIP', sessionAffinity: 'None', ports: [{ name: 'https', port: 443, targetPort: 7443 }] },
  });
  const before = server.objects.generation(refs.endpoints);
  await clock.advance(600_000);
  expect(server.objects.generation(refs.endpoints)).toBe(before);
});
