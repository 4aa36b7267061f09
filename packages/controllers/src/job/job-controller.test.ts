import type { Job, Pod } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

type Spec = Partial<NonNullable<Job['spec']>>;

const forever = ['serve'];

describe('jobs', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 3, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const jobs = () => cluster.client.jobs('default');
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;
  const status = async () => (await jobs().get('j')).status ?? {};
  const condition = async (type: string) => (await status()).conditions?.find((one) => one.type === type);
  const reasons = async () => (await cluster.client.events('default').list()).items.map(({ reason }) => reason);

  const make = async (command: string[], spec: Spec = {}, annotations = {}) => {
    const template = {
      metadata: { annotations },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command }] },
    };
    await jobs().create({ metadata: { name: 'j' }, spec: { template, ...spec } });
    await cluster.settled();
  };
  const running = { 'simulation.coracle.dev/exit-after': '1h' };

  test('JOB-12 are complete when as many pods have succeeded as they request', async () => {
    await make(['true'], { completions: 4, parallelism: 2 });
    await cluster.clock.advance('1m');
    const done = await status();
    expect(done).toMatchObject({ succeeded: 4, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(done.active).toBeUndefined();
    expect(done.completionTime).toBeDefined();
    expect(done.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ]);
    expect((await pods()).every(({ metadata }) => metadata.finalizers === undefined)).toBe(true);
    expect(await reasons()).toContain('Completed');
  });

  test('JOB-17 run no more pods at once than they may', async () => {
    await make(forever, { completions: 4, parallelism: 2 }, running);
    expect(await pods()).toHaveLength(2);
    expect(await status()).toMatchObject({ active: 2, ready: 2 });
  });

  test('JOB-8 fail after too many failures, each waited for longer', async () => {
    await make(['false'], { backoffLimit: 2 });
    expect(await pods()).toHaveLength(1);
    await cluster.clock.advance('8s');
    expect(await pods()).toHaveLength(1);
    await cluster.clock.advance('4s');
    expect(await pods()).toHaveLength(2);
    await cluster.clock.advance('10s');
    expect(await pods()).toHaveLength(2);
    await cluster.clock.advance('2m');
    expect(await pods()).toHaveLength(3);
    expect(await status()).toMatchObject({ failed: 3 });
    expect(await condition('Failed')).toMatchObject({
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    });
    expect(await condition('FailureTarget')).toMatchObject({ status: 'True' });
  });

  test('fail after their deadline, and terminate their pods', async () => {
    await make(forever, { activeDeadlineSeconds: 60 }, running);
    await cluster.clock.advance('2m');
    expect(await condition('Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
    expect(await pods()).toHaveLength(0);
    expect(await status()).toMatchObject({ failed: 1 });
  });

  test('run within the longest deadline', async () => {
    await make(['true'], { activeDeadlineSeconds: (2n ** 63n - 1n) as unknown as number });
    await cluster.clock.advance('2m');
    expect(await status()).toMatchObject({ succeeded: 1 });
  });

  test('give each index its pod, and report completed ones', async () => {
    await make(['true'], { completions: 3, parallelism: 3, completionMode: 'Indexed' });
    await cluster.clock.advance('1m');
    expect(await status()).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    const pod = (await pods()).find(({ metadata }) => metadata.name?.startsWith('j-1-'));
    expect(pod?.metadata.labels?.['batch.kubernetes.io/job-completion-index']).toBe('1');
    expect(pod?.metadata.annotations?.['batch.kubernetes.io/job-completion-index']).toBe('1');
    expect(pod?.spec?.hostname).toBe('j-1');
    expect(pod?.spec?.containers?.[0]?.env?.[0]?.name).toBe('JOB_COMPLETION_INDEX');
  });

  test('fail indexes one by one where each has its limit', async () => {
    await make(['false'], {
      completions: 2,
      parallelism: 2,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 1,
    });
    await cluster.clock.advance('5m');
    expect(await status()).toMatchObject({ failed: 4, failedIndexes: '0,1' });
    expect(await condition('Failed')).toMatchObject({ reason: 'FailedIndexes', message: 'Job has failed indexes' });
  });

  test('fail at once when a rule of the failure policy matches', async () => {
    await make(['sh', '-c', 'exit 42'], {
      podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] },
    });
    await cluster.clock.advance('1m');
    const [pod] = await pods();
    expect(await condition('Failed')).toMatchObject({
      reason: 'PodFailurePolicy',
      message: `Container c for pod default/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    });
  });

  test('succeed early when a rule of the success policy matches', async () => {
    await make(
      forever,
      {
        completions: 2,
        parallelism: 2,
        completionMode: 'Indexed',
        successPolicy: { rules: [{ succeededIndexes: '0' }] },
      },
      // When the test reports success, the kubelet stops it.
      { ...running, 'simulation.coracle.dev/stop-code': '0' },
    );
    const first = (await pods()).find(({ metadata }) => metadata.name?.startsWith('j-0-')) as Pod;
    await cluster.client.pods('default').updateStatus({ ...first, status: { ...first.status, phase: 'Succeeded' } });
    await cluster.clock.advance('2m');
    expect(await condition('Complete')).toMatchObject({ reason: 'SuccessPolicy', message: 'Matched rules at index 0' });
    expect(await status()).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  });

  test('stop when they are suspended, and start again', async () => {
    await make(forever, { parallelism: 2 }, running);
    await jobs().patch('j', { spec: { suspend: true } }, { type: 'merge' });
    await cluster.clock.advance('1m');
    expect(await pods()).toHaveLength(0);
    expect(await condition('Suspended')).toMatchObject({ status: 'True', reason: 'JobSuspended' });
    const { failed, startTime } = await status();
    expect([failed, startTime]).toEqual([undefined, undefined]);

    await jobs().patch('j', { spec: { suspend: false } }, { type: 'merge' });
    await cluster.settled();
    expect(await pods()).toHaveLength(2);
    expect(await condition('Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed' });
    expect((await status()).startTime).toBeDefined();
  });

  test('fail when more indexes have failed than allowed', async () => {
    await make(['false'], {
      completions: 5,
      parallelism: 2,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 1,
    });
    await cluster.clock.advance('1m');
    expect(await condition('Failed')).toMatchObject({ reason: 'MaxFailedIndexesExceeded' });
    expect((await status()).failedIndexes).toBe('0,1');
  });

  test('replace a deleted pod at once, or only when it has ended', async () => {
    const slow = { ...running, 'simulation.coracle.dev/stop-delay': '20s' };
    const replacedAfter = async (podReplacementPolicy: string) => {
      await make(forever, { podReplacementPolicy }, slow);
      const [pod] = await pods();
      await cluster.client.pods('default').delete(pod?.metadata.name ?? '');
      await cluster.clock.advance('15s');
      const { active = 0, terminating } = await status();
      await jobs().delete('j', { propagationPolicy: 'Background' });
      await cluster.clock.advance('1m');
      return { active, terminating };
    };
    expect(await replacedAfter('TerminatingOrFailed')).toEqual({ active: 1, terminating: 1 });
    expect(await replacedAfter('Failed')).toEqual({ active: 0, terminating: 1 });
  });

  test('orphan their pods with propagationPolicy Orphan', async () => {
    await make(forever, {}, running);
    await jobs().delete('j', { propagationPolicy: 'Orphan' });
    await cluster.clock.advance('1m');
    const [pod] = await pods();
    expect(pod?.status?.phase).toBe('Running');
    expect(pod?.metadata.ownerReferences).toBeUndefined();
    expect(pod?.metadata.finalizers).toBeUndefined();
  });

  test('JOB-9 count restarts where containers are restarted in place', async () => {
    const containers = [{ name: 'c', image: 'i', command: ['false'] }];
    const template = { spec: { restartPolicy: 'OnFailure', containers } };
    await make([], { backoffLimit: 2, template });
    await cluster.clock.advance('5m');
    expect(await condition('Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
    expect(await pods()).toHaveLength(0);
  });

  test('orphan their pods if requested', async () => {
    await make(forever, {}, running);
    await jobs().delete('j', { propagationPolicy: 'Background' });
    await cluster.clock.advance('2m');
    expect(await pods()).toHaveLength(0);
  });

  test('are ignored with another managedBy', async () => {
    await make(['true'], { managedBy: 'example.com/other' });
    expect(await pods()).toHaveLength(0);
  });
});
