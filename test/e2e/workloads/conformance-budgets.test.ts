import { type Pod, type PodDisruptionBudget, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const labels = { foo: 'bar' };

/** The steps of upstream's conformance tests of the disruption controller. */
describe('disruption budgets as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  });
  afterEach(() => cluster.stop());

  const budgets = (namespace = 'default') => cluster.client.resource(refs.podDisruptionBudgets, namespace);
  const create = async (minAvailable: number | string, name = 'foo', namespace = 'default') => {
    const metadata = { name, labels: { foo_pdb: 'bar_pdb' } };
    await budgets(namespace).create({ metadata, spec: { selector: { matchLabels: labels }, minAvailable } });
    await cluster.settled();
  };
  const read = async () => (await budgets().getSubresource<PodDisruptionBudget>('foo', 'status')) ?? {};
  const observed = async () => {
    const { metadata, status } = await read();
    return status?.observedGeneration === metadata.generation;
  };
  const runPods = async (count: number) => {
    for (let i = 0; i < count; i++)
      await cluster.client
        .pods('default')
        .create({ metadata: { name: `pod-${i}`, labels }, spec: { containers: [{ name: 'c', image: 'pause:1' }] } });
    await cluster.settled();
  };
  const evict = (name: string) =>
    cluster.client.raw('POST', `/api/v1/namespaces/default/pods/${name}/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } },
    });
  const aPod = async () => {
    const pods: Pod[] = (await cluster.client.pods('default').list()).items;
    return pods.find(({ metadata }) => !metadata.deletionTimestamp)?.metadata.name ?? '';
  };

  test('should list and delete a collection of PodDisruptionBudgets', async () => {
    await cluster.client.namespaces().create({ metadata: { name: 'other' } });
    await create(2);
    await create('1%', 'foo2');
    await create(2, 'foo3', 'other');
    const names = async (namespace?: string) =>
      (
        await cluster.client.resource(refs.podDisruptionBudgets, namespace).list({ labelSelector: 'foo_pdb=bar_pdb' })
      ).items.map(({ metadata }) => metadata.name);
    expect(await names()).toEqual(['foo', 'foo2', 'foo3']);
    expect(await names('default')).toEqual(['foo', 'foo2']);
    await budgets().deleteCollection();
    expect(await names()).toEqual(['foo3']);
  });

  test('should create, update, patch and delete a PodDisruptionBudget', async () => {
    await create('1%');
    expect(await observed()).toBe(true);
    const budget = await budgets().get('foo');
    await budgets().update({ ...budget, spec: { ...budget.spec, minAvailable: '2%' } });
    await cluster.settled();
    expect(await observed()).toBe(true);
    const patched = await budgets().patch('foo', { spec: { minAvailable: '3%' } }, { type: 'merge' });
    expect(patched.spec?.minAvailable).toBe('3%');
    await budgets().delete('foo');
    await expect(budgets().get('foo')).rejects.toMatchObject({ status: { code: 404 } });
  });

  test('should update/patch PodDisruptionBudget status, and observe it', async () => {
    await create(1);
    await runPods(3);
    expect((await read()).status?.disruptionsAllowed).toBe(2);
    const budget = await budgets().get('foo');
    const disruptedPods = { 'pod-0': '2026-01-01T00:00:00Z' };
    await budgets().updateStatus({ ...budget, status: { ...budget.status, disruptedPods } } as PodDisruptionBudget);
    await cluster.settled();
    expect((await read()).status?.disruptedPods).toHaveProperty('pod-0');
    const removal = { status: { disruptedPods: null } };
    const patched = await budgets().patch('foo', removal, { type: 'merge', subresource: 'status' });
    expect(patched.status?.disruptedPods ?? {}).toEqual({});
  });

  test('should block an eviction until the PDB is updated to allow it', async () => {
    const refused = { status: 429, body: { details: { causes: [{ reason: 'DisruptionBudget' }] } } };
    await create(3);
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'pause:1' }] } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await cluster.client.replicaSets('default').create({ metadata: { name: 'rs' }, spec });
    await cluster.settled();
    const first = await aPod();
    expect(await evict(first)).toMatchObject(refused);
    const budget = await budgets().get('foo');
    await budgets().update({ ...budget, spec: { ...budget.spec, minAvailable: 2 } });
    await cluster.settled();
    expect((await read()).status).toMatchObject({ currentHealthy: 3, desiredHealthy: 2 });
    expect(await evict(first)).toMatchObject({ status: 201 });
    await cluster.clock.advance('1m');
    await budgets().patch('foo', { spec: { minAvailable: null, maxUnavailable: 0 } }, { type: 'merge' });
    await cluster.settled();
    const second = await aPod();
    expect(await evict(second)).toMatchObject(refused);
    await budgets().delete('foo');
    expect(await evict(second)).toMatchObject({ status: 201 });
  });
});
