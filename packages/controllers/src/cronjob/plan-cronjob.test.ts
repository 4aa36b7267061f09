import type { CronJob, Job } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { jobName, planHistory, planStart, reviewJobs } from './plan-cronjob.js';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);
const at = (minutes: number) => new Date(start + minutes * minute).toISOString().replace('.000', '');

type Spec = Partial<CronJob['spec']>;

function cronJob(spec: Spec = {}, status: NonNullable<CronJob['status']> = {}): CronJob {
  return {
    metadata: { name: 'cj', creationTimestamp: at(0) },
    spec: { schedule: '*/10 * * * *', jobTemplate: {}, ...spec } as CronJob['spec'],
    status,
  };
}

function job(name: string, end?: 'Complete' | 'Failed', more: { started?: number; ended?: number } = {}): Job {
  return {
    metadata: { name, uid: name },
    status: {
      ...(end && { conditions: [{ type: end, status: 'True' }] }),
      ...(more.started !== undefined && { startTime: at(more.started) }),
      ...(more.ended !== undefined && { completionTime: at(more.ended) }),
    },
  } as Job;
}

describe('a cron job starts', () => {
  interface Case {
    readonly name: string;
    readonly spec?: Spec;
    readonly status?: NonNullable<CronJob['status']>;
    /** Minutes after its creation. */
    readonly now: number;
    readonly starts?: number;
    readonly replaces?: boolean;
    readonly reasons?: readonly string[];
    readonly looksInMinutes?: number;
  }
  const cases: readonly Case[] = [
    { name: 'nothing before its time', now: 9, looksInMinutes: 1 },
    { name: 'a job at its time', now: 10, starts: 10, looksInMinutes: 10 },
    { name: 'the last of several that it missed', now: 35, starts: 30, looksInMinutes: 5 },
    { name: 'nothing while it is suspended', spec: { suspend: true }, now: 10 },
    {
      name: 'nothing that it has started',
      status: { lastScheduleTime: at(10) },
      now: 15,
      looksInMinutes: 5,
    },
    {
      name: 'nothing that is under way by its name',
      status: { active: [{ name: `cj-${start / minute + 10}` }] },
      now: 15,
      looksInMinutes: 5,
    },
    {
      name: 'nothing whose deadline has passed',
      spec: { startingDeadlineSeconds: 60 },
      status: { lastScheduleTime: at(0) },
      now: 15,
      looksInMinutes: 5,
    },
    {
      name: 'a job within the longest deadline',
      spec: { startingDeadlineSeconds: (2n ** 63n - 1n) as unknown as number },
      status: { lastScheduleTime: at(0) },
      now: 15,
      starts: 10,
      looksInMinutes: 5,
    },
    {
      name: 'nothing beside another if that is forbidden',
      spec: { concurrencyPolicy: 'Forbid' },
      status: { active: [{ name: 'other' }] },
      now: 10,
      reasons: ['JobAlreadyActive'],
      looksInMinutes: 10,
    },
    {
      name: 'a job in place of another',
      spec: { concurrencyPolicy: 'Replace' },
      status: { active: [{ name: 'other' }] },
      now: 10,
      starts: 10,
      replaces: true,
      looksInMinutes: 10,
    },
    {
      name: 'the last of very many, and complains',
      spec: { schedule: '* * * * *' },
      now: 200,
      starts: 200,
      reasons: ['TooManyMissedTimes'],
      looksInMinutes: 1,
    },
    {
      name: 'nothing in a zone that there is not',
      spec: { timeZone: 'Mars/Base' },
      now: 10,
      reasons: ['UnknownTimeZone'],
    },
    {
      name: 'nothing with an invalid schedule',
      spec: { schedule: 'x' },
      now: 10,
      reasons: ['UnparseableSchedule'],
    },
    {
      name: 'nothing at times that never come',
      spec: { schedule: '59 23 31 2 *' },
      now: 10,
      reasons: ['InvalidSchedule'],
    },
    {
      name: 'a job in the zone of its schedule, and complains',
      spec: { schedule: 'TZ=Asia/Kolkata 35 5 * * *' },
      now: 5,
      starts: 5,
      reasons: ['UnsupportedSchedule'],
      looksInMinutes: 24 * 60,
    },
  ];
  test.each(cases)('$name', ({ spec, status = {}, now, starts, replaces = false, reasons = [], looksInMinutes }) => {
    const plan = planStart({ cronJob: cronJob(spec, status), jobs: [], now: start + now * minute }, status);
    expect({
      start: plan.start && { at: plan.start.at, replaces: plan.start.replaces },
      reasons: plan.events.map(({ reason }) => reason),
      nextLookMs: plan.nextLookMs,
    }).toEqual({
      start: starts === undefined ? undefined : { at: start + starts * minute, replaces },
      reasons,
      nextLookMs: looksInMinutes === undefined ? undefined : looksInMinutes * minute + 100,
    });
  });
});

describe('the jobs of a cron job', () => {
  test('that have ended are no longer active, and the last success is recorded', () => {
    const active = [{ uid: 'a' }, { uid: 'b' }, { uid: 'c' }];
    const jobs = [job('a', 'Complete', { ended: 5 }), job('b', 'Failed'), job('c')];
    const { status, events } = reviewJobs({
      cronJob: cronJob({}, { active, lastSuccessfulTime: at(3) }),
      jobs,
      now: start,
    });
    expect(status).toEqual({ active: [{ uid: 'c' }], lastSuccessfulTime: at(5) });
    expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'SawCompletedJob: Saw completed job: a, condition: Complete',
      'SawCompletedJob: Saw completed job: b, condition: Failed',
    ]);
  });

  test('that are not in the status are reported in an event', () => {
    const { status, events } = reviewJobs({ cronJob: cronJob(), jobs: [job('stray')], now: start });
    expect(status).toEqual({});
    expect(events.map(({ reason }) => reason)).toEqual(['UnexpectedJob']);
  });

  test('are named after their minute', () => {
    expect(jobName(cronJob(), start + 90_000)).toBe(`cj-${start / minute + 1}`);
  });

  test('are deleted beyond the history limits, the oldest first, by result', () => {
    const jobs = [
      job('new', 'Complete', { started: 30 }),
      job('old', 'Complete', { started: 10 }),
      job('middle', 'Complete', { started: 20 }),
      job('bad', 'Failed', { started: 5 }),
      job('running'),
    ];
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 };
    const gone = planHistory({ cronJob: cronJob(limits), jobs, now: start });
    expect(gone.map(({ metadata }) => metadata.name)).toEqual(['old', 'middle']);
    expect(planHistory({ cronJob: cronJob(), jobs, now: start })).toEqual([]);
  });
});
