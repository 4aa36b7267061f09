import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

type Owner = KubeObject & { readonly status?: { readonly conditions?: readonly { readonly type: string }[] } };
const matching = (labels: Record<string, string>) => ({ matchLabels: labels });
const kinds: readonly [string, ResourceRef<Owner>, (labels: Record<string, string>) => object][] = [
  ['ReplicaSet', refs.replicaSets, matching],
  ['ReplicationController', refs.replicationControllers, (labels) => labels],
];

/** The steps of upstream's conformance tests of the adoption and creation of pods by controllers. */
describe('controllers and their pods as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  });
  afterAll(() => cluster?.stop());
  const containers = [{ name: 'c', image: 'httpd:1' }];

  test.each(kinds)(
    '%s should adopt matching pods on creation and release no longer matching pods',
    async (kind, ref, select) => {
      const pods = cluster.client.pods('default');
      const name = `adoption-${kind.toLowerCase()}`;
      await cluster.settled();
      await pods.create({ metadata: { name, labels: { name } }, spec: { containers } });
      await cluster.settled();
      const template = { metadata: { labels: { name } }, spec: { containers } };
      const owners = cluster.client.resource(ref, 'default');
      const owner = await owners.create({
        metadata: { name },
        spec: { replicas: 1, selector: select({ name }), template },
      } as Owner);
      await cluster.settled();
      const adopted = await pods.get(name);
      expect(adopted.metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid, controller: true }]);
      await pods.update({ ...adopted, metadata: { ...adopted.metadata, labels: { name: 'not-matching-name' } } });
      await cluster.settled();
      expect((await pods.get(name)).metadata.ownerReferences ?? []).toEqual([]);
      expect((await pods.list({ labelSelector: `name=${name}` })).items).toHaveLength(1);
    },
  );

  test.each(kinds)(
    '%s should surface a failure condition on a common issue like exceeded quota',
    async (kind, ref, select) => {
      const namespace = `quota-${kind.toLowerCase()}`;
      await cluster.client.namespaces().create({ metadata: { name: namespace } });
      await cluster.client
        .resource(refs.resourceQuotas, namespace)
        .create({ metadata: { name: 'q' }, spec: { hard: { pods: '2' } } });
      await cluster.settled();
      const labels = { name: 'condition-test' };
      const template = { metadata: { labels }, spec: { containers } };
      const owners = cluster.client.resource(ref, namespace);
      await owners.create({
        metadata: { name: 'rc' },
        spec: { replicas: 3, selector: select(labels), template },
      } as Owner);
      await cluster.clock.advance('10s');
      const failures = async () =>
        ((await owners.get('rc')).status?.conditions ?? []).filter(({ type }) => type === 'ReplicaFailure');
      expect(await failures()).toMatchObject([{ status: 'True', reason: 'FailedCreate' }]);
      await owners.patch('rc', { spec: { replicas: 2 } }, { type: 'merge' });
      await cluster.clock.advance('1m');
      expect(await failures()).toEqual([]);
    },
  );
});
