import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef, WatchEvent } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const labels = { 'special-label': 'conformance' };
const chosen = { labelSelector: 'special-label=conformance' };
const namespace = 'default';

type WithStatus = KubeObject & { readonly status?: object };

interface Case {
  readonly ref: ResourceRef<WithStatus>;
  /** The i-th of three objects, beside its labels. */
  readonly make: (i: number) => object;
  /** What a status is patched with, and found in it again. */
  readonly status?: object;
}

const generateName = 'e2e-example-';
const lastTransitionTime = '2026-01-01T00:00:00Z';
const condition = { type: 'PatchedStatus', status: 'True', reason: 'E2E', message: 'set', lastTransitionTime };
const cases: readonly Case[] = [
  {
    ref: refs.endpointSlices,
    make: () => ({
      metadata: { generateName },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4', '5.6.7.8'] }, { addresses: ['2.2.3.4', '6.6.7.8'] }],
    }),
  },
  {
    ref: refs.endpoints,
    make: (i) => ({
      metadata: { name: `e2e-${i}` },
      subsets: [{ addresses: [{ ip: '10.0.0.24' }], ports: [{ port: 80 }] }],
    }),
  },
  {
    ref: refs.ingresses,
    make: () => ({
      metadata: { generateName },
      spec: { defaultBackend: { service: { name: 'default-backend', port: { number: 80 } } } },
    }),
    status: { loadBalancer: { ingress: [{ ip: '169.1.1.1' }] } },
  },
  {
    ref: refs.ingressClasses,
    make: (i) => ({ metadata: { name: `e2e-${i}` }, spec: { controller: 'example.com/controller' } }),
  },
  {
    ref: refs.ipAddresses,
    make: (i) => ({
      metadata: { name: `192.168.77.${i + 1}` },
      spec: { parentRef: { group: '', resource: 'services', namespace, name: 'foo' } },
    }),
  },
  {
    ref: refs.serviceCIDRs,
    make: (i) => ({ metadata: { generateName }, spec: { cidrs: [`10.196.${i}.0/24`] } }),
    status: { conditions: [condition] },
  },
  {
    ref: refs.services,
    make: (i) => ({ metadata: { name: `e2e-svc-${i}` }, spec: { type: 'LoadBalancer', ports: [{ port: 8001 + i }] } }),
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] }, conditions: [condition] },
  },
];

/** The steps of upstream's conformance tests of the network's resources: API operations, the status among them. */
describe('resources of the network as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  });
  afterAll(() => cluster?.stop());

  test.each(cases)('should support $ref.resource API operations', async ({ ref, make, status }) => {
    const client = cluster.client.resource(ref, ref.namespaced ? namespace : undefined);
    const everywhere = cluster.client.resource(ref);
    const apiVersion = ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
    const object = (i: number) => {
      const { metadata, ...rest } = make(i) as { metadata: object };
      return { apiVersion, kind: ref.kind, metadata: { ...metadata, labels }, ...rest };
    };
    const made = [await client.create(object(0)), await client.create(object(1)), await client.create(object(2))];
    const name = made[2]?.metadata.name ?? '';
    expect((await client.get(name)).metadata.uid).toBe(made[2]?.metadata.uid);
    const list = await client.list(chosen);
    expect(list.items).toHaveLength(3);
    expect((await everywhere.list(chosen)).items).toHaveLength(3);

    const events: WatchEvent<KubeObject>[] = [];
    const resourceVersion = list.metadata.resourceVersion ?? '';
    using _watch = everywhere.openWatch(
      { ...chosen, resourceVersion },
      { event: (event) => void events.push(event), end: () => undefined },
    );
    const patched = await client.patch(name, { metadata: { annotations: { patched: 'true' } } }, { type: 'merge' });
    expect(patched.metadata.annotations).toMatchObject({ patched: 'true' });
    const updated = await client.update({
      ...patched,
      metadata: { ...patched.metadata, annotations: { patched: 'true', updated: 'true' } },
    });
    expect(updated.metadata.annotations).toMatchObject({ patched: 'true', updated: 'true' });

    if (status) {
      const annotations = { patchedstatus: 'true' };
      const after = await client.patch(
        name,
        { metadata: { annotations }, status },
        { type: 'merge', subresource: 'status' },
      );
      expect(after).toMatchObject({ metadata: { annotations }, status });
      expect((await client.updateStatus(after)).status).toMatchObject(status);
      expect((await client.get(name)).status).toMatchObject(status);
    }

    await client.delete(name);
    await cluster.settled();
    await cluster.clock.advance('1m');
    await expect(client.get(name)).rejects.toMatchObject({ status: { code: 404 } });
    expect((await client.list(chosen)).items).toHaveLength(2);
    await client.deleteCollection(chosen);
    await cluster.settled();
    await cluster.clock.advance('1m');
    expect((await client.list(chosen)).items).toEqual([]);
    const isUpdated = (object: object) => JSON.stringify(object).includes('"updated":"true"');
    const seen = events.map((event) => `${event.type} ${isUpdated(event.object)}`);
    expect(seen).toContain('MODIFIED true');
    expect(seen.filter((one) => one.startsWith('DELETED'))).toHaveLength(3);
  });
});
