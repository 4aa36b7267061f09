import { type Pod, type ReplicaSet, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replicatedSpec } from '../workloads.fixture.js';
import { planReplicaSet } from './plan-replicaset.js';
import { computeReplicaSetStatus } from './replicaset-status.js';

const rank = { now: 0, neighbours: () => 1 };

function pod(name: string, more: Partial<Pod> = {}): Pod {
  return { metadata: { name, uid: name }, status: { phase: 'Running' }, ...more };
}

describe('RS-25 how many pods to make or to delete', () => {
  const running = (count: number) => Array.from({ length: count }, (_, i) => pod(`p${i}`));

  test.each([
    { name: 'what is missing', desired: 3, active: 1, plan: { create: 2, delete: 0 } },
    { name: 'nothing', desired: 3, active: 3, plan: { create: 0, delete: 0 } },
    { name: 'what is too much', desired: 1, active: 3, plan: { create: 0, delete: 2 } },
    { name: 'no more than 500 to make', desired: 900, active: 0, plan: { create: 500, delete: 0 } },
    { name: 'no more than 500 to delete', desired: 0, active: 600, plan: { create: 0, delete: 500 } },
  ])('$name', ({ desired, active, plan }) => {
    const { create, delete: surplus } = planReplicaSet({ desired, active: running(active) }, rank);

    expect({ create, delete: surplus.length }).toEqual(plan);
  });
});

describe('RS-31 status', () => {
  const now = Date.UTC(2026, 0, 1, 0, 1);
  const replicaSet: ReplicaSet = {
    metadata: { name: 'web', generation: 4 },
    spec: { selector: {}, minReadySeconds: 30, template: { metadata: { labels: { app: 'web', tier: 'front' } } } },
  };
  const ready = (lastTransitionTime: string) => ({
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
  });
  const pods = [
    pod('available', { metadata: { labels: { app: 'web', tier: 'front' } }, status: ready('2026-01-01T00:00:30Z') }),
    pod('ready', { metadata: { labels: { app: 'web' } }, status: ready('2026-01-01T00:00:31Z') }),
    pod('starting', { status: { phase: 'Pending' } }),
    pod('failed', { status: { phase: 'Failed' } }),
    pod('leaving', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  ];

  test('counts pods by what they are', () => {
    expect(computeReplicaSetStatus({ object: replicaSet, countsTerminating: true, pods, now })).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 4,
    });
  });

  test('RS-32 reports a failure until it is resolved', () => {
    const failure = { reason: 'FailedCreate', message: 'quota' } as const;
    const status = computeReplicaSetStatus({ object: replicaSet, countsTerminating: true, pods: [], now, failure });
    expect(status.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'quota',
        lastTransitionTime: '2026-01-01T00:01:00Z',
      },
    ]);

    const again = computeReplicaSetStatus({
      object: { ...replicaSet, status },
      countsTerminating: true,
      pods: [],
      now: now + 5_000,
      failure,
    });
    expect(again.conditions).toEqual(status.conditions);
    expect(
      computeReplicaSetStatus({ object: { ...replicaSet, status }, countsTerminating: true, pods: [], now }).conditions,
    ).toBeUndefined();
  });
});

describe('on a cluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 3, seed: 1 });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const replicaSets = () => cluster.client.resource<ReplicaSet>(refs.replicaSets, 'default');
  const pods = () => cluster.client.resource<Pod>(refs.pods, 'default');
  async function create(replicas: number, more: object = {}): Promise<void> {
    await replicaSets().create({ metadata: { name: 'web' }, spec: { ...replicatedSpec(replicas, 'i'), ...more } });
    await cluster.clock.advance('30s');
  }
  const owned = async () =>
    (await pods().list()).items.filter(
      ({ metadata }) => metadata.ownerReferences?.length && !metadata.deletionTimestamp,
    );
  const lone = (name: string, labels: Record<string, string>): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });

  test('RS-30 creates the desired number of pods, and reports when they are available', async () => {
    await create(3);

    expect((await replicaSets().get('web')).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    for (const { metadata } of await owned()) expect(metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
  });

  test('RS-12 replaces a pod as soon as it is terminating', async () => {
    await create(2);
    const [first] = await owned();
    await pods().delete(first?.metadata.name ?? '');
    await cluster.settled();

    const after = await owned();
    expect(after).toHaveLength(2);
    expect(after.map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
  });

  test('RS-28 deletes surplus pods', async () => {
    await create(4);
    await replicaSets().patch('web', { spec: { replicas: 1 } }, { type: 'merge' });
    await cluster.clock.advance('60s');

    expect(await owned()).toHaveLength(1);
    expect((await replicaSets().get('web')).status?.replicas).toBe(1);
  });

  test('RS-22 adopts a pod that matches and needs one less', async () => {
    await pods().create(lone('stray', { app: 'web' }));
    await create(2);

    const names = (await owned()).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(2);
    expect(names).toContain('stray');
  });

  test('RS-22 releases a pod that no longer matches, and creates another', async () => {
    await create(1);
    const [first] = await owned();
    const name = first?.metadata.name ?? '';
    await pods().patch(name, { metadata: { labels: { app: 'other' } } }, { type: 'merge' });
    await cluster.settled();

    expect((await pods().get(name)).metadata.ownerReferences).toBeUndefined();
    expect(await owned()).toHaveLength(1);
  });

  test('RS-11 RS-15 adopts a pod that begins to match, or loses its owner, and deletes a surplus one', async () => {
    await create(2);
    await pods().create(lone('stray', { app: 'other' }));
    await cluster.settled();
    expect(await owned()).toHaveLength(2);
    await pods().patch('stray', { metadata: { labels: { app: 'web' } } }, { type: 'merge' });
    await cluster.clock.advance('1m');
    expect(await owned()).toHaveLength(2);

    const [first] = await owned();
    await pods().patch(first?.metadata.name ?? '', { metadata: { ownerReferences: null } }, { type: 'merge' });
    await cluster.clock.advance('1m');
    expect((await owned()).map(({ metadata }) => metadata.name)).toContain(first?.metadata.name);
    expect((await pods().list()).items).toHaveLength(2);
  });

  test('RS-16 RS-20 replaces deleted pods at once, and terminated ones', async () => {
    await create(2);
    const [gone, ended] = await owned();
    await pods().delete(gone?.metadata.name ?? '', { gracePeriodSeconds: 0 });
    await pods().patch(
      ended?.metadata.name ?? '',
      { status: { phase: 'Failed' } },
      { type: 'merge', subresource: 'status' },
    );
    await cluster.settled();
    const left = (await owned()).filter(({ status }) => status?.phase !== 'Failed');
    expect(left).toHaveLength(2);
    expect((await replicaSets().get('web')).status?.replicas).toBe(2);
  });

  test('RS-17 one that is created again under its name does not adopt expectations of the old one', async () => {
    await create(2);
    const before = (await replicaSets().get('web')).metadata.uid;
    await replicaSets().delete('web');
    await create(3);
    await cluster.clock.advance('1m');
    const owners = (await owned()).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(owners).toHaveLength(3);
    expect(owners).not.toContain(before);
  });

  test('RS-19 RS-33 reports its observed generation even where there is nothing to do', async () => {
    await create(1);
    await replicaSets().patch('web', { spec: { minReadySeconds: 1 } }, { type: 'merge' });
    await cluster.clock.advance('10s');
    const { metadata, status } = await replicaSets().get('web');
    expect([metadata.generation, status?.observedGeneration]).toEqual([2, 2]);
  });

  test('RS-18 a pod is available only after it was ready for long enough', async () => {
    await create(1, { minReadySeconds: 120 });
    expect((await replicaSets().get('web')).status).toMatchObject({ readyReplicas: 1 });
    expect((await replicaSets().get('web')).status?.availableReplicas).toBeUndefined();

    await cluster.clock.advance('2m');
    expect((await replicaSets().get('web')).status?.availableReplicas).toBe(1);
  });

  test('RS-26 RS-30 RS-32 reports that a quota prevents new pods, and retries when the quota allows them', async () => {
    await cluster.client.resource(refs.resourceQuotas, 'default').create({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few' },
      spec: { hard: { pods: '1' } },
    } as never);
    await cluster.clock.advance('10s');
    await create(3);

    const { status } = await replicaSets().get('web');
    expect(status).toMatchObject({
      replicas: 1,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }],
    });
    expect(status?.conditions?.[0]?.message).toMatch(
      /^pods "web-.*" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1$/,
    );

    const { items } = await cluster.client.events('default').list();
    const own = items.filter(({ involvedObject }) => involvedObject.kind === 'ReplicaSet');
    const eventsOf = (reason: string) => own.filter((event) => event.reason === reason);
    expect(eventsOf('SuccessfulCreate').map(({ message, source }) => [message, source?.component])).toEqual([
      [expect.stringMatching(/^Created pod: web-\w{5}$/), 'replicaset-controller'],
    ]);
    const refusal =
      /^(\(combined from similar events\): )?Error creating: pods "web-\w+" is forbidden: exceeded quota: few/;
    for (const { message } of eventsOf('FailedCreate')) expect(message).toMatch(refusal);
    expect(eventsOf('FailedCreate')).not.toEqual([]);

    await cluster.client
      .resource(refs.resourceQuotas, 'default')
      .patch('few', { spec: { hard: { pods: '9' } } }, { type: 'merge' });
    await cluster.clock.advance('20m');
    expect((await replicaSets().get('web')).status).toMatchObject({ replicas: 3 });
    expect((await replicaSets().get('web')).status?.conditions).toBeUndefined();
  });
});
