import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef, WatchEvent } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

type Workload = KubeObject & {
  readonly spec?: { readonly replicas?: number; readonly template?: { readonly spec?: object } };
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
};
const labels = { name: 'sample-pod', e2e: 'testing' };
const chosen = { labelSelector: 'e2e=testing' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'httpd', image: 'httpd:1' }] } };
const spec = { replicas: 1, selector: { matchLabels: labels }, template };

const kinds: readonly [string, ResourceRef<Workload>, object][] = [
  ['Deployment', refs.deployments, spec],
  ['ReplicaSet', refs.replicaSets, spec],
  ['StatefulSet', refs.statefulSets, { ...spec, serviceName: 'test' }],
  ['ReplicationController', refs.replicationControllers, { ...spec, selector: labels }],
  ['DaemonSet', refs.daemonSets, { selector: { matchLabels: labels }, template }],
];

/** The steps of upstream's conformance tests of sig-apps for status, scale and collections. */
describe('workloads as the conformance tests use their endpoints', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  });
  afterAll(() => cluster?.stop());

  const start = async (ref: ResourceRef<Workload>, ownSpec: object) => {
    const client = cluster.client.resource(ref, 'default');
    const { metadata } = await client.list(chosen);
    const events: WatchEvent<Workload>[] = [];
    const watching = client.openWatch(
      { ...chosen, resourceVersion: metadata.resourceVersion ?? '' },
      { event: (event) => void events.push(event), end: () => undefined },
    );
    await client.create({ metadata: { name: 'test', labels }, spec: ownSpec });
    await cluster.clock.advance('10s');
    const end = async () => {
      await client.deleteCollection({ ...chosen, gracePeriodSeconds: 1 });
      // Replication controllers leave their pods by default, so they go when the pods are orphaned.
      if (ref === refs.replicationControllers) await cluster.settled();
      expect((await cluster.client.resource(ref).list(chosen)).items).toEqual([]);
      await cluster.clock.advance('1m');
      expect(events.at(-1)?.type).toBe('DELETED');
      watching[Symbol.dispose]();
    };
    return { client, events, end };
  };

  test.each(kinds)('should validate %s Status endpoints, and delete a collection', async (_kind, ref, ownSpec) => {
    const { client, events, end } = await start(ref, ownSpec);
    const { metadata, status } = await client.getSubresource<Workload>('test', 'status');
    const before = await client.get('test');
    expect([metadata.uid, status]).toEqual([before.metadata.uid, before.status]);
    const condition = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from e2e test' };
    const conditions = [...(before.status?.conditions ?? []), { ...condition, lastTransitionTime: null }];
    await client.updateStatus({ ...before, status: { ...before.status, conditions } });
    const patch = { status: { conditions: [{ type: 'StatusPatched', status: 'True' }] } };
    await client.patch('test', patch, { type: 'merge', subresource: 'status' });
    await cluster.settled();
    const seen = events.flatMap((event) => (event.type === 'ERROR' ? [] : (event.object.status?.conditions ?? [])));
    expect(seen).toContainEqual(expect.objectContaining(condition));
    expect(seen.map(({ type }) => type)).toContain('StatusPatched');
    await end();
  });

  test.each(kinds.slice(0, 4))('%s should have a working scale subresource', async (_kind, ref, ownSpec) => {
    const { client, end } = await start(ref, ownSpec);
    const scale = await client.getSubresource<Workload & { status: { replicas: number } }>('test', 'scale');
    expect([scale.spec?.replicas, scale.status.replicas]).toEqual([1, 1]);
    const { resourceVersion: _version, ...unconditional } = scale.metadata;
    const scaledUp = { ...scale, metadata: unconditional, spec: { replicas: 2 } };
    expect((await client.updateSubresource('test', 'scale', scaledUp)).spec?.replicas).toBe(2);
    expect((await client.get('test')).spec?.replicas).toBe(2);
    // An empty Scale as Go writes it, with the number alone in it.
    const patch = { metadata: {}, spec: { replicas: 4 }, status: { replicas: 0 } };
    await client.patch('test', patch, { type: 'strategic', subresource: 'scale' });
    expect((await client.get('test')).spec?.replicas).toBe(4);
    await end();
  });

  test.each(kinds.slice(0, 3))('%s takes a patch that adds a container before the others', async (_kind, ref, own) => {
    const { client, end } = await start(ref, own);
    const container = { name: 'test', image: 'pause:1' };
    // A field that there is not is ignored: its name has a capital.
    const podSpec = { TerminationGracePeriodSeconds: 1, containers: [container] };
    const change = {
      metadata: { labels: { 'test-ss': 'patched' } },
      spec: { replicas: 2, template: { spec: podSpec } },
    };
    await client.patch('test', change, { type: 'strategic' });
    await cluster.clock.advance('1m');
    const everywhere = await cluster.client.resource(ref).list({ labelSelector: 'test-ss=patched' });
    expect(everywhere.items).toMatchObject([{ status: { readyReplicas: 2 } }]);
    const { template: changed } = everywhere.items[0]?.spec ?? {};
    expect(changed?.spec).toMatchObject({
      containers: [container, { name: 'httpd' }],
      terminationGracePeriodSeconds: 30,
    });
    await end();
  });
});
