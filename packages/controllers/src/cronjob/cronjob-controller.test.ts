import type { CronJob } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

describe('cron jobs', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual' });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const cronJobs = () => cluster.client.cronJobs('default');
  const jobs = async () => (await cluster.client.jobs('default').list()).items;
  const names = async () => (await jobs()).map(({ metadata }) => metadata.name);
  const reasons = async () => (await cluster.client.events('default').list()).items.map(({ reason }) => reason);

  const make = async (spec: Partial<CronJob['spec']> = {}, runFor = '0s') => {
    const template = {
      metadata: { annotations: { 'simulation.coracle.dev/exit-after': runFor } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    };
    await cronJobs().create({
      metadata: { name: 'cj' },
      spec: { schedule: '*/10 * * * *', jobTemplate: { spec: { template } }, ...spec },
    });
    await cluster.settled();
  };
  /** The name of the job this many minutes after the start of the virtual clock. */
  const nameAt = (minutes: number) => `cj-${Date.UTC(2026, 0, 1) / 60_000 + minutes}`;

  test('start a job at each time of their schedule, and keep the last three', async () => {
    await make();
    expect(await names()).toEqual([]);
    await cluster.clock.advance('11m');
    expect(await names()).toEqual([nameAt(10)]);
    const { status } = await cronJobs().get('cj');
    expect(status).toMatchObject({ lastScheduleTime: '2026-01-01T00:10:00Z' });
    expect(status?.active).toBeUndefined();
    expect(status?.lastSuccessfulTime).toBeDefined();
    const [job] = await jobs();
    expect(job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe('2026-01-01T00:10:00Z');
    expect(job?.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'cj', controller: true }]);

    await cluster.clock.advance('50m');
    expect(await names()).toEqual([nameAt(40), nameAt(50), nameAt(60)]);
    expect(await reasons()).toEqual(
      expect.arrayContaining(['SuccessfulCreate', 'SawCompletedJob', 'SuccessfulDelete']),
    );
  });

  test('let jobs run concurrently', async () => {
    await make({}, '25m');
    await cluster.clock.advance('31m');
    expect((await cronJobs().get('cj')).status?.active).toHaveLength(3);
  });

  test('wait for the previous one with concurrencyPolicy Forbid', async () => {
    await make({ concurrencyPolicy: 'Forbid' }, '25m');
    await cluster.clock.advance('31m');
    expect(await names()).toEqual([nameAt(10)]);
    expect(await reasons()).toContain('JobAlreadyActive');
    await cluster.clock.advance('10m');
    expect(await names()).toContain(nameAt(30));
  });

  test('replace the old job with the new one with concurrencyPolicy Replace', async () => {
    await make({ concurrencyPolicy: 'Replace' }, '25m');
    await cluster.clock.advance('21m');
    expect(await names()).toEqual([nameAt(20)]);
    expect((await cronJobs().get('cj')).status?.active).toMatchObject([{ name: nameAt(20) }]);
  });

  test('start nothing while suspended, and only the last run afterwards', async () => {
    await make({ suspend: true });
    await cluster.clock.advance('35m');
    expect(await names()).toEqual([]);
    await cronJobs().patch('cj', { spec: { suspend: false } }, { type: 'merge' });
    await cluster.clock.advance('1m');
    expect(await names()).toEqual([nameAt(30)]);
  });

  test('skip runs beyond the starting deadline', async () => {
    await make({ suspend: true, startingDeadlineSeconds: 60 });
    await cluster.clock.advance('35m');
    await cronJobs().patch('cj', { spec: { suspend: false } }, { type: 'merge' });
    await cluster.clock.advance('1m');
    expect(await names()).toEqual([]);
    await cluster.clock.advance('5m');
    expect(await names()).toEqual([nameAt(40)]);
  });

  test('use their time zone', async () => {
    await make({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
    await cluster.clock.advance('2h');
    const [job] = await jobs();
    expect(job?.metadata.name).toBe(nameAt(90));
    expect(job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe(
      '2026-01-01T02:30:00+01:00',
    );
  });

  test('have finished jobs deleted after their TTL', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] } };
    await make({ jobTemplate: { spec: { template, ttlSecondsAfterFinished: 60 } } });
    await cluster.clock.advance('10m30s');
    expect(await names()).toEqual([nameAt(10)]);
    await cluster.clock.advance('2m');
    expect(await names()).toEqual([]);
  });
});
