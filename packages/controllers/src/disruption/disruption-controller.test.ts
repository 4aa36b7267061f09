import type { Pod, PodDisruptionBudget } from '@coracle/api';
import { formatTime, isNotFound, StatusError } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const labels = { app: 'web' };
const selector = { matchLabels: labels };

describe('disruption budgets', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const pods = () => cluster.client.pods('default');
  const budgets = () => cluster.client.podDisruptionBudgets('default');

  const setReady = async (pod: Pod, isReady = true) => {
    const condition = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: formatTime(0) };
    await pods().updateStatus({ ...pod, status: { ...pod.status, phase: 'Running', conditions: [condition] } });
  };
  const runPods = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
      await setReady(await pods().create({ metadata: { name: `p${index}`, labels }, spec }));
    }
  };
  const protect = async (name: string, spec: PodDisruptionBudget['spec']) => {
    await budgets().create({ metadata: { name }, spec: { selector, ...spec } });
    await cluster.settled();
  };
  const evict = (name: string, body: object = {}, options: { dryRun?: boolean } = {}) =>
    pods().createSubresource(
      name,
      'eviction',
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...body },
      options,
    );
  const allowed = async (name = 'b') => (await budgets().get(name)).status?.disruptionsAllowed;

  test('RES-06 allow evictions as long as enough pods are left', async () => {
    await runPods(3);
    await protect('b', { minAvailable: 2 });
    expect(await allowed()).toBe(1);

    expect(await evict('p0')).toMatchObject({ status: 'Success', code: 201 });
    const evicted = await pods().get('p0');
    expect(evicted.metadata.deletionTimestamp).toBeDefined();
    expect(evicted.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'EvictionByEvictionAPI',
    });

    await cluster.settled();
    const refusal = await failureOf(evict('p1'));
    expect(refusal).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget b needs 2 healthy pods and has 2 currently' },
        ],
      },
    });
  });

  test('never let two evictions share one disruption', async () => {
    await runPods(5);
    await protect('b', { minAvailable: 3 });
    const results = await Promise.allSettled([0, 1, 2, 3, 4].map((index) => evict(`p${index}`)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  test('count the desired pods of their controllers', async () => {
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await cluster.client
      .deployments('default')
      .create({ metadata: { name: 'web' }, spec: { replicas: 4, selector, template } });
    await cluster.settled();
    for (const pod of (await pods().list()).items) await setReady(pod);
    await protect('b', { maxUnavailable: '50%' });
    expect((await budgets().get('b')).status).toMatchObject({
      expectedPods: 4,
      desiredHealthy: 2,
      currentHealthy: 4,
      disruptionsAllowed: 2,
    });
  });

  test('allow no disruptions when the controller of a pod cannot be found', async () => {
    await runPods(1);
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: '', controller: true };
    const owner = await cluster.client.configMaps('default').create({ metadata: { name: 'c' } });
    const ownerReferences = [{ ...reference, uid: owner.metadata.uid ?? '' }];
    await pods().patch('p0', { metadata: { ownerReferences } }, { type: 'merge' });
    await protect('b', { maxUnavailable: 1 });
    const { status } = await budgets().get('b');
    expect(status?.disruptionsAllowed).toBe(0);
    expect(status?.conditions?.[0]).toMatchObject({
      reason: 'SyncFailed',
      message: 'configmaps does not implement the scale subresource',
    });
    expect(status?.observedGeneration).toBeUndefined();
    expect(status?.conditions?.[0]).not.toHaveProperty('observedGeneration');
  });

  test('are not synced again after a failure until something changes', async () => {
    await runPods(1);
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'u', controller: true }];
    await pods().patch('p0', { metadata: { ownerReferences } }, { type: 'merge' });
    await protect('b', { maxUnavailable: 1 });
    const failures = async () => {
      const events = (await cluster.client.events('default').list()).items;
      const failed = events.filter(({ reason }) => reason === 'CalculateExpectedPodCountFailed');
      return failed.reduce((sum, { count = 1 }) => sum + count, 0);
    };
    const before = await failures();
    expect(before).toBeGreaterThan(0);
    await cluster.clock.advance('10s');
    expect(await failures()).toBe(before);
  });

  test('allow evictions of unhealthy pods when the others suffice, or always if requested', async () => {
    await runPods(2);
    await setReady(await pods().get('p1'), false);
    await protect('b', { minAvailable: 1 });
    expect(await allowed()).toBe(0);
    expect(await evict('p1')).toMatchObject({ status: 'Success' });

    await setReady(await pods().get('p0'), false);
    await cluster.settled();
    expect(await failureOf(evict('p0'))).toMatchObject({ code: 429 });
    await budgets().patch('b', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }, { type: 'merge' });
    await cluster.settled();
    expect(await evict('p0')).toMatchObject({ status: 'Success' });
  });

  test('do not hold pods that have not begun or have ended', async () => {
    await protect('b', { minAvailable: 5 });
    const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'i' }] };
    await pods().create({ metadata: { name: 'pending', labels }, spec });
    await evict('pending');
    expect(await pods().get('pending').catch(isNotFound)).toBe(true);
  });

  test('RES-06 must not be several for one pod', async () => {
    await runPods(2);
    await protect('b1', { minAvailable: 0 });
    await protect('b2', { minAvailable: 0 });
    expect(await failureOf(evict('p0'))).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  test('are checked and not charged by a dry run', async () => {
    await runPods(1);
    await protect('b', { minAvailable: 0 });
    await evict('p0', {}, { dryRun: true });
    expect((await pods().get('p0')).metadata.deletionTimestamp).toBeUndefined();
    expect(await allowed()).toBe(1);
    await budgets().patch('b', { spec: { minAvailable: 1 } }, { type: 'merge' });
    await cluster.settled();
    expect(await failureOf(evict('p0', { deleteOptions: { dryRun: ['All'] } }))).toMatchObject({ code: 429 });
  });

  test('reject the eviction of a pod with another uid', async () => {
    await runPods(1);
    const deleteOptions = { preconditions: { uid: 'another' } };
    expect(await failureOf(evict('p0', { deleteOptions }))).toMatchObject({ code: 409 });
    expect(await failureOf(evict('none'))).toMatchObject({ code: 404 });
  });

  test('the condition DisruptionTarget is removed from pods that stay', async () => {
    await cluster.client.nodes().create({ metadata: { name: 'n' } });
    await runPods(1);
    const pod = await pods().get('p0');
    const target = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: formatTime(cluster.clock.now()) };
    const conditions = [...(pod.status?.conditions ?? []), target];
    await pods().updateStatus({ ...pod, status: { ...pod.status, conditions } });
    await cluster.clock.advance('121s');
    const marks = (await pods().get('p0')).status?.conditions;
    expect(marks?.find(({ type }) => type === 'DisruptionTarget')?.status).toBe('False');
  });
});

async function failureOf(action: Promise<unknown>): Promise<StatusError['status'] | undefined> {
  const error = await action.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return StatusError.is(error) ? error.status : undefined;
}
