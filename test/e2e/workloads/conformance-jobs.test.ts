import { type batchv1, type CronJob, type Job, type Pod, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tryApiOperations } from '../api-operations.js';

type Spec = Partial<NonNullable<Job['spec']>>;
/** Index 0 succeeds, the others fail. */
const exitWithIndex = ['/bin/sh', '-c', 'exit $(JOB_COMPLETION_INDEX)'];

/** The steps of upstream's conformance tests of jobs. */
describe('jobs as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  });
  afterEach(() => cluster.stop());

  const jobs = () => cluster.client.jobs('default');
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;
  const make = async (command: readonly string[], spec: Spec = {}, annotations: Record<string, string> = {}) => {
    const containers = [{ name: 'c', image: 'busybox:1', command: [...command] }];
    const template = { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } };
    await jobs().create({
      metadata: { name: 'j', labels: { e2e: 'j' } },
      spec: { parallelism: 2, completions: 4, template, ...spec },
    });
    await cluster.settled();
  };
  const running = { 'simulation.coracle.dev/exit-after': '1h' };
  const outcome = async () => {
    const { status = {} } = await jobs().get('j');
    const { failedIndexes, completedIndexes, failed, succeeded, active = 0, ready, terminating } = status;
    const conditions = (status.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);
    return { failedIndexes, completedIndexes, failed, succeeded, active, ready, terminating, conditions };
  };
  const over = { active: 0, ready: 0, terminating: 0 };
  const reached = (reason: string) => [`SuccessCriteriaMet ${reason}`, `Complete ${reason}`];
  const missed = (reason: string) => [`FailureTarget ${reason}`, `Failed ${reason}`];
  const indexed: Spec = { completionMode: 'Indexed' };
  const ruleOn = (action: string): batchv1.PodFailurePolicy => ({
    rules: [{ action, onExitCodes: { operator: 'In', values: [1] } }],
  });

  test.each<[string, readonly string[], Spec, object]>([
    [
      'with successPolicy should succeeded when all indexes succeeded',
      ['true'],
      { ...indexed, completions: 2, successPolicy: { rules: [{ succeededCount: 2 }] } },
      { completedIndexes: '0,1', failed: undefined, conditions: reached('SuccessPolicy') },
    ],
    [
      'with successPolicy succeededIndexes rule should succeeded even when some indexes remain pending',
      exitWithIndex,
      { ...indexed, completions: 5, successPolicy: { rules: [{ succeededIndexes: '0' }] } },
      { completedIndexes: '0', succeeded: 1, conditions: reached('SuccessPolicy') },
    ],
    [
      'with successPolicy succeededCount rule should succeeded even when some indexes remain pending',
      exitWithIndex,
      { ...indexed, completions: 5, backoffLimit: 2147483647, successPolicy: { rules: [{ succeededCount: 1 }] } },
      { completedIndexes: '0', succeeded: 1, conditions: reached('SuccessPolicy') },
    ],
    [
      'should execute all indexes despite some failing when using backoffLimitPerIndex',
      exitWithIndex,
      { ...indexed, backoffLimitPerIndex: 1 },
      { failedIndexes: '1-3', completedIndexes: '0', failed: 6, succeeded: 1, conditions: missed('FailedIndexes') },
    ],
    [
      'should terminate job execution when the number of failed indexes exceeds maxFailedIndexes',
      ['false'],
      { ...indexed, parallelism: 1, backoffLimitPerIndex: 0, maxFailedIndexes: 0 },
      { failedIndexes: '0', failed: 1, conditions: missed('MaxFailedIndexesExceeded') },
    ],
    [
      'should mark indexes as failed when the FailIndex action is matched in podFailurePolicy',
      exitWithIndex,
      { ...indexed, completions: 2, backoffLimitPerIndex: 1, podFailurePolicy: ruleOn('FailIndex') },
      { failedIndexes: '1', completedIndexes: '0', failed: 1, succeeded: 1 },
    ],
    [
      'should allow to use the pod failure policy on exit code to fail the job early',
      ['false'],
      { podFailurePolicy: ruleOn('FailJob') },
      { conditions: missed('PodFailurePolicy') },
    ],
  ])('%s', async (_name, command, spec, expected) => {
    await make(command, spec);
    await cluster.clock.advance('10m');
    expect(await outcome()).toMatchObject({ ...over, ...expected });
  });

  test('should create pods for an Indexed job with completion indexes and specified hostname', async () => {
    await make(['true'], indexed);
    await cluster.clock.advance('1m');
    const key = 'batch.kubernetes.io/job-completion-index';
    const seen = (await pods()).map(({ metadata, spec, status }) => [
      metadata.annotations?.[key],
      spec?.hostname,
      status?.phase,
    ]);
    expect(seen.sort()).toEqual(['0', '1', '2', '3'].map((index) => [index, `j-${index}`, 'Succeeded']));
  });

  test('should ignore failure matching on DisruptionTarget condition', async () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }];
    await make(
      ['serve'],
      { ...indexed, completions: 1, backoffLimit: 0, podFailurePolicy: { rules } },
      {
        'simulation.coracle.dev/exit-after': '1m',
      },
    );
    const [pod] = await pods();
    const path = `/api/v1/namespaces/default/pods/${pod?.metadata.name}/eviction`;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod?.metadata.name } };
    expect(await cluster.client.raw('POST', path, { body })).toMatchObject({ status: 201 });
    await cluster.clock.advance('5m');
    expect(await outcome()).toMatchObject({
      ...over,
      completedIndexes: '0',
      conditions: reached('CompletionsReached'),
    });
  });

  test('should adopt matching orphans and release non-matching pods', async () => {
    await make(['serve'], {}, running);
    const name = (await pods())[0]?.metadata.name ?? '';
    const change = async (part: Partial<Pod['metadata']>) => {
      const pod = await cluster.client.pods('default').get(name);
      await cluster.client.pods('default').update({ ...pod, metadata: { ...pod.metadata, ...part } });
      await cluster.settled();
      return cluster.client.pods('default').get(name);
    };
    const { uid = '' } = (await jobs().get('j')).metadata;
    const adopted = await change({ ownerReferences: [] });
    expect(adopted.metadata.ownerReferences).toMatchObject([{ kind: 'Job', name: 'j', uid, controller: true }]);
    const released = await change({ labels: {} });
    expect(released.metadata).not.toHaveProperty('ownerReferences');
    expect(released.metadata).not.toHaveProperty('finalizers');
  });

  test('should apply changes to a job status', async () => {
    await make(['serve'], {}, running);
    const condition = { type: 'CustomConditionType', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const change = { metadata: { annotations: { patchedstatus: 'true' } }, status: { conditions: [condition] } };
    const patched = await jobs().patch('j', change, { type: 'merge', subresource: 'status' });
    expect(patched).toMatchObject({ metadata: change.metadata, status: { conditions: [condition], active: 2 } });
    const later = { ...condition, lastTransitionTime: '2026-01-01T00:00:05Z' };
    await cluster.settled();
    const current = await jobs().get('j');
    const updated = await jobs().updateStatus({ ...current, status: { ...current.status, conditions: [later] } });
    expect(updated.status?.conditions).toMatchObject([later]);
    await cluster.settled();
    expect((await jobs().getSubresource<Job>('j', 'status')).status?.conditions).toMatchObject([later]);
  });

  test('should manage the lifecycle of a job, and delete one with its pods', async () => {
    await make(['true'], { suspend: true });
    await jobs().patch('j', { metadata: { labels: { j: 'patched' } } }, { type: 'strategic' });
    const suspended = await jobs().get('j');
    await jobs().update({ ...suspended, spec: { ...suspended.spec, suspend: false } } as Job);
    await cluster.clock.advance('1m');
    expect((await outcome()).conditions).toEqual(['Suspended JobResumed', ...reached('CompletionsReached')]);
    await jobs().deleteCollection({ labelSelector: 'e2e=j', propagationPolicy: 'Background' });
    expect((await cluster.client.resource(refs.jobs).list({ labelSelector: 'e2e=j' })).items).toEqual([]);
    await cluster.clock.advance('1m');
    expect(await pods()).toEqual([]);
  });
});

describe('cron jobs as the conformance tests use them', () => {
  test.each<[string, Partial<NonNullable<CronJob['spec']>>, number, number]>([
    ['should schedule multiple jobs concurrently', { concurrencyPolicy: 'Allow' }, 3, 3],
    ['should not schedule jobs when suspended', { suspend: true }, 0, 0],
    ['should not schedule new jobs when ForbidConcurrent', { concurrencyPolicy: 'Forbid' }, 1, 1],
    ['should replace jobs when ReplaceConcurrent', { concurrencyPolicy: 'Replace' }, 1, 1],
  ])('%s', async (_name, more, active, count) => {
    await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
    const annotations = { 'simulation.coracle.dev/exit-after': '300s' };
    const containers = [{ name: 'c', image: 'busybox:1', command: ['sleep', '300'] }];
    const template = { metadata: { annotations }, spec: { restartPolicy: 'OnFailure', containers } };
    const spec = { schedule: '*/1 * * * ?', jobTemplate: { spec: { template } }, ...more };
    await cluster.client.cronJobs('default').create({ metadata: { name: 'c' }, spec });
    await cluster.clock.advance('190s');
    const { status } = await cluster.client.cronJobs('default').get('c');
    expect(status?.active ?? []).toHaveLength(active);
    const left = (await cluster.client.jobs('default').list()).items;
    expect(left).toHaveLength(count);
    if (more.concurrencyPolicy === 'Replace') expect(left[0]?.metadata.creationTimestamp).toBe('2026-01-01T00:03:00Z');
  });

  test('should support CronJob API operations', async () => {
    await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
    const containers = [{ name: 'c', image: 'busybox:1', command: ['true'] }];
    const template = { spec: { restartPolicy: 'OnFailure', containers } };
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 };
    const spec = { schedule: '* */1 * * ?', jobTemplate: { spec: { template } }, ...limits };
    const make = (i: number) => ({ metadata: { name: `test-api-${i}` }, spec });
    await tryApiOperations(cluster, { ref: refs.cronJobs, make, status: { lastScheduleTime: '2026-01-01T00:00:00Z' } });
  });
});
