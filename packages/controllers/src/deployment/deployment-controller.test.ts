import { type Deployment, type Pod, type ReplicaSet, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replicatedSpec } from '../workloads.fixture.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 3, seed: 1 });
  await cluster.settled();
});
afterEach(() => cluster.stop());

const deployments = () => cluster.client.resource<Deployment>(refs.deployments, 'default');
const replicaSets = async () => (await cluster.client.resource<ReplicaSet>(refs.replicaSets, 'default').list()).items;
const pods = async () => (await cluster.client.resource<Pod>(refs.pods, 'default').list()).items;

async function create(replicas: number, more: object = {}): Promise<void> {
  await deployments().create({ metadata: { name: 'web' }, spec: { ...replicatedSpec(replicas, 'v1'), ...more } });
  await cluster.clock.advance('1m');
}

async function setImage(image: string, wait = '3m'): Promise<void> {
  const template = { spec: { containers: [{ name: 'c', image }] } };
  await deployments().patch('web', { spec: { template } }, { type: 'strategic' });
  await cluster.clock.advance(wait);
}

async function conditions(): Promise<Record<string, (string | undefined)[]>> {
  const { status } = await deployments().get('web');
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: value, reason, message }) => [type, [value, reason, message]]),
  );
}

/** Pods that take time to terminate. */
const stubborn = { 'simulation.coracle.dev/stop-delay': '30s' };

/** Image → desired number of pods of its replica set. */
async function sizes(): Promise<Record<string, number>> {
  return Object.fromEntries(
    (await replicaSets()).map(({ spec }) => [spec?.template?.spec?.containers[0]?.image ?? '', spec?.replicas ?? 0]),
  );
}

test('a new deployment gets a replica set of its template and reports its progress (DEP-24, DEP-26)', async () => {
  await create(3);

  const [only] = await replicaSets();
  const { status, metadata } = await deployments().get('web');
  expect(status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  expect(metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '1' });
  expect(only?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '1',
    'deployment.kubernetes.io/desired-replicas': '3',
    'deployment.kubernetes.io/max-replicas': '4',
  });
  expect(await conditions()).toEqual({
    Available: ['True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
    Progressing: ['True', 'NewReplicaSetAvailable', `ReplicaSet "${only?.metadata.name}" has successfully progressed.`],
  });
});

test('a new template is rolled out, and the old replica set stays for a rollback', async () => {
  await create(3);
  await setImage('v2');

  expect(await sizes()).toEqual({ v1: 0, v2: 3 });
  expect((await deployments().get('web')).metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '2',
  });

  await setImage('v1');
  expect(await sizes()).toEqual({ v1: 3, v2: 0 });
  const back = (await replicaSets()).find(({ spec }) => spec?.replicas === 3);
  expect(back?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  });
});

describe('DEP-29 an old client requests a rollback by annotation', () => {
  async function ask(revision: string): Promise<(string | undefined)[]> {
    const annotations = { 'deprecated.deployment.rollback.to': revision };
    await deployments().patch('web', { metadata: { annotations } }, { type: 'merge' });
    await cluster.clock.advance('3m');
    const { items } = await cluster.client.resource(refs.events, 'default').list();
    return (items as { reason?: string; message?: string }[])
      .filter(({ reason }) => reason?.startsWith('DeploymentRollback'))
      .map(({ message }) => message);
  }

  test.each([
    {
      name: 'to the revision before',
      revision: '0',
      sizes: { v1: 0, v2: 3, v3: 0 },
      says: 'Rolled back deployment "web" to revision 2',
    },
    {
      name: 'to a revision',
      revision: '1',
      sizes: { v1: 3, v2: 0, v3: 0 },
      says: 'Rolled back deployment "web" to revision 1',
    },
    {
      name: 'to what it is',
      revision: '3',
      sizes: { v1: 0, v2: 0, v3: 3 },
      says: 'The rollback revision contains the same template as current deployment "web"',
    },
    {
      name: 'to what is not there',
      revision: '9',
      sizes: { v1: 0, v2: 0, v3: 3 },
      says: 'Unable to find the revision to rollback to.',
    },
  ])('$name', async ({ revision, sizes: expected, says }) => {
    await create(3);
    await setImage('v2');
    await setImage('v3');

    expect(await ask(revision)).toEqual([says]);
    expect(await sizes()).toEqual(expected);
    expect((await deployments().get('web')).metadata.annotations).not.toHaveProperty(
      'deprecated.deployment.rollback.to',
    );
  });

  test('an annotation that is not a number is ignored', async () => {
    await create(1);

    expect(await ask('last')).toEqual([]);
  });
});

test('DEP-20 a rollback leads back from a template that has never been rolled out', async () => {
  await create(2);
  await setImage('v2');
  const { spec } = await deployments().get('web');
  const template = { ...spec?.template, spec: { containers: [{ name: 'c', image: 'v3' }] } };
  const annotations = { 'deprecated.deployment.rollback.to': '0' };
  await deployments().patch('web', { metadata: { annotations }, spec: { template } }, { type: 'strategic' });
  await cluster.clock.advance('3m');

  expect(await sizes()).toEqual({ v1: 0, v2: 2, v3: 0 });
});

test('DEP-22 a replica set that cannot be created is reported in the condition and in an event', async () => {
  const hard = { 'count/replicasets.apps': '0' };
  await cluster.client.resource(refs.resourceQuotas, 'default').create({ metadata: { name: 'none' }, spec: { hard } });
  await cluster.settled();
  await create(1);

  const failed = expect.stringMatching(/^Failed to create new replica set "web-\w+": .*exceeded quota: none/);
  expect((await conditions())['Progressing']).toEqual(['False', 'ReplicaSetCreateError', failed]);
  const { items } = await cluster.client.resource(refs.events, 'default').list();
  expect(items).toContainEqual(
    expect.objectContaining({ type: 'Warning', reason: 'ReplicaSetCreateError', message: failed }),
  );
});

test('the field manager of controllers is kube-controller-manager', async () => {
  await create(1);
  const { metadata } = await deployments().get('web');
  const managers = metadata.managedFields?.map(({ manager, subresource = '' }) => `${manager} ${subresource}`);
  expect(managers).toContain('kube-controller-manager status');
  const [pod] = await pods();
  expect(pod?.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['kube-controller-manager', 'kubelet']);
});

test('DEP-20 a revision is an int64', async () => {
  await create(1);
  const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' };
  const [first] = await replicaSets();
  const named = cluster.client.resource<ReplicaSet>(refs.replicaSets, 'default');
  await named.patch(first?.metadata.name ?? '', { metadata: { annotations } }, { type: 'merge' });
  await setImage('v2');
  const { metadata } = await deployments().get('web');
  expect(metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3546343826724305833');
});

test('a deployment that is created paused has the condition DeploymentPaused first', async () => {
  await create(1, { paused: true });
  expect(Object.keys(await conditions())).toEqual(['Progressing', 'Available']);
  await deployments().patch('web', { spec: { paused: false } }, { type: 'merge' });
  await cluster.clock.advance('1m');
  expect(Object.keys(await conditions())).toEqual(['Available', 'Progressing']);
});

test('DEP-33 a paused deployment still passes on its annotations', async () => {
  await create(1);
  const change = { metadata: { annotations: { note: 'new' } }, spec: { paused: true, minReadySeconds: 7 } };
  await deployments().patch('web', change, { type: 'merge' });
  await cluster.clock.advance('10s');

  const [only] = await replicaSets();
  expect([only?.metadata.annotations?.['note'], only?.spec?.minReadySeconds]).toEqual(['new', 7]);
});

test('DEP-6 pods being deleted are counted apart', async () => {
  await create(2);
  const template = { spec: { terminationGracePeriodSeconds: 60 }, metadata: { annotations: stubborn } };
  await deployments().patch('web', { spec: { template } }, { type: 'strategic' });
  await cluster.clock.advance('1m');
  await deployments().patch('web', { spec: { replicas: 1 } }, { type: 'merge' });
  await cluster.clock.advance('5s');
  expect((await deployments().get('web')).status).toMatchObject({ replicas: 1, terminatingReplicas: 1 });

  await cluster.clock.advance('2m');
  expect((await deployments().get('web')).status).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
});

test('DEP-39 events report every step', async () => {
  await create(2);
  await setImage('v2');

  const { items } = await cluster.client.resource(refs.events, 'default').list();
  const messages = (items as { reason?: string; message?: string }[])
    .filter(({ reason }) => reason === 'ScalingReplicaSet')
    .map(({ message }) => message?.replace(/web-[a-z0-9]+/, 'web-HASH'));
  expect(messages).toEqual([
    'Scaled up replica set web-HASH from 0 to 2',
    'Scaled up replica set web-HASH from 0 to 1',
    'Scaled down replica set web-HASH from 2 to 1',
    'Scaled up replica set web-HASH from 1 to 2',
    'Scaled down replica set web-HASH from 1 to 0',
  ]);
});

test('DEP-40 a recreation never has pods of both revisions', async () => {
  await create(2, { strategy: { type: 'Recreate' } });
  const seen = new Set<string>();
  const watching = cluster.controlPlane.client.resource<Pod>(refs.pods, 'default');
  await setImage('v2', '0s');
  for (let second = 0; second < 60; second++) {
    await cluster.clock.advance('1s');
    const images = new Set((await watching.list()).items.map(({ spec }) => spec?.containers[0]?.image));
    seen.add([...images].sort().join('+'));
  }

  expect(seen).not.toContain('v1+v2');
  expect(await sizes()).toEqual({ v1: 0, v2: 2 });
});

test('DEP-47 old replica sets beyond the limit are deleted', async () => {
  await create(1, { revisionHistoryLimit: 1 });
  for (const image of ['v2', 'v3', 'v4']) await setImage(image);

  expect(await sizes()).toEqual({ v3: 0, v4: 1 });
});

describe('DEP-15 a pause', () => {
  test('keeps a new template from being rolled out, lets the size change, and stops the deadline', async () => {
    await create(2, { progressDeadlineSeconds: 60 });
    await deployments().patch('web', { spec: { paused: true } }, { type: 'merge' });
    await setImage('v2');
    await deployments().patch('web', { spec: { replicas: 4 } }, { type: 'merge' });
    await cluster.clock.advance('10m');

    expect(await sizes()).toEqual({ v1: 4 });
    expect((await conditions())['Progressing']).toEqual(['Unknown', 'DeploymentPaused', 'Deployment is paused']);

    await deployments().patch('web', { spec: { paused: false } }, { type: 'merge' });
    await cluster.clock.advance('5m');
    expect(await sizes()).toEqual({ v1: 0, v2: 4 });
    expect((await conditions())['Progressing']?.[1]).toBe('NewReplicaSetAvailable');
  });
});

describe('DEP-27 the deadline', () => {
  async function forbidPods(): Promise<void> {
    await cluster.client.resource(refs.resourceQuotas, 'default').create({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { pods: '0' } },
    } as never);
    await cluster.clock.advance('10s');
  }

  test('passes for a deployment that cannot create any pod, and the reason is reported', async () => {
    await forbidPods();
    await create(2, { progressDeadlineSeconds: 120 });
    const [only] = await replicaSets();
    expect(await conditions()).toMatchObject({
      Available: ['False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'],
      Progressing: ['True', 'NewReplicaSetCreated', `Created new replica set "${only?.metadata.name}"`],
      ReplicaFailure: ['True', 'FailedCreate', expect.stringContaining('exceeded quota: none')],
    });

    await cluster.clock.advance('2m');
    expect((await conditions())['Progressing']).toEqual([
      'False',
      'ProgressDeadlineExceeded',
      `ReplicaSet "${only?.metadata.name}" has timed out progressing.`,
    ]);
  });

  test('and its failures are evaluated only during a rollout', async () => {
    await create(2, { paused: true });
    await forbidPods();
    await deployments().patch('web', { spec: { paused: false } }, { type: 'merge' });
    await cluster.clock.advance('10s');
    expect(await conditions()).toHaveProperty('ReplicaFailure');

    await deployments().patch('web', { spec: { paused: true } }, { type: 'merge' });
    await cluster.client.resource(refs.resourceQuotas, 'default').delete('none');
    await cluster.clock.advance('20m');
    expect((await deployments().get('web')).status).toMatchObject({ readyReplicas: 2 });
    expect(await conditions()).toHaveProperty('ReplicaFailure');

    await deployments().patch('web', { spec: { paused: false } }, { type: 'merge' });
    await cluster.clock.advance('10s');
    expect(await conditions()).not.toHaveProperty('ReplicaFailure');
  });

  test('passes for a rollout that does not begin, though the one before it was done', async () => {
    await create(2, { progressDeadlineSeconds: 120 });
    await forbidPods();
    await setImage('v2', '30s');
    expect((await conditions())['Progressing']?.[1]).toBe('NewReplicaSetCreated');

    await cluster.clock.advance('2m');
    expect((await conditions())['Progressing']?.[1]).toBe('ProgressDeadlineExceeded');
  });
});

test('DEP-22 a name that is in use is avoided', async () => {
  await create(1);
  const [first] = await replicaSets();
  const name = first?.metadata.name ?? '';
  await deployments().delete('web', { propagationPolicy: 'Orphan' });
  await cluster.clock.advance('1m');
  await cluster.client
    .resource<ReplicaSet>(refs.replicaSets, 'default')
    .patch(name, { metadata: { labels: { app: 'other' } } }, { type: 'merge' });
  await create(1);

  expect((await deployments().get('web')).status).toMatchObject({ collisionCount: 1, availableReplicas: 1 });
  expect((await replicaSets()).filter(({ metadata }) => metadata.name !== name)).toHaveLength(1);
});

test('DEP-10 a deployment that is created again adopts the replica sets that were left', async () => {
  await create(2);
  const [before] = await replicaSets();
  await deployments().delete('web', { propagationPolicy: 'Orphan' });
  await cluster.clock.advance('1m');
  expect((await replicaSets())[0]?.metadata.ownerReferences).toBeUndefined();
  await create(2);

  const [only, ...others] = await replicaSets();
  expect([only?.metadata.uid, others]).toEqual([before?.metadata.uid, []]);
  const { uid } = (await deployments().get('web')).metadata;
  expect(only?.metadata.ownerReferences).toMatchObject([{ uid, controller: true, blockOwnerDeletion: true }]);
});

test('DEP-25 RS-33 an unchanged status is not written again', async () => {
  await create(2);
  const versions = async () => {
    const [only] = await replicaSets();
    return [(await deployments().get('web')).metadata.resourceVersion, only?.metadata.resourceVersion];
  };
  const before = await versions();
  await cluster.clock.advance('30m');
  expect(await versions()).toEqual(before);
});

test('DEP-14 DEP-16 while it waits to be deleted it only updates its status', async () => {
  await create(2);
  await deployments().patch('web', { metadata: { finalizers: ['example.com/wait'] } }, { type: 'merge' });
  await deployments().delete('web');
  await setImage('v2', '30s');

  expect(Object.keys(await sizes())).toEqual(['v1']);
  const { metadata, status } = await deployments().get('web');
  expect(status?.observedGeneration).toBe(metadata.generation);
});

test('deleting it deletes its dependents', async () => {
  await create(2);
  await deployments().delete('web');
  await cluster.clock.advance('5m');

  expect([await replicaSets(), await pods()]).toEqual([[], []]);
});
