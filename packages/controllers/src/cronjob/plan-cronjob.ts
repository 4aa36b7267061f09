import { type batchv1, type CronJob, type CronSchedule, isTimeZone, type Job, parseSchedule } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { EventType } from '@coracle/client';
import { finishedCondition } from '../job/job-pods.js';
import { lastDueRun, nextRun } from './next-run.js';
import { type TimeZone, timeZone, utc } from './time-zone.js';

/** Delay after the time of a run, so that it is certainly due. */
const marginMs: Millis = 100;
const manyMissed = 100;

export interface CronJobFacts {
  readonly cronJob: CronJob;
  readonly jobs: readonly Job[];
  readonly now: Millis;
}

export interface PlannedEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** The jobs that were started, and their results. Pure. */
export function reviewJobs({ cronJob, jobs }: CronJobFacts): {
  readonly status: batchv1.CronJobStatus;
  readonly events: readonly PlannedEvent[];
} {
  const finished = new Map(jobs.flatMap((job) => (finishedCondition(job) ? [[job.metadata.uid, job] as const] : [])));
  const { active = [], lastSuccessfulTime: before, ...rest } = cronJob.status ?? {};
  const over = active.flatMap(({ uid }) => finished.get(uid) ?? []);
  const activeUids = new Set(active.map(({ uid }) => uid));
  const strays = jobs.filter(({ metadata }) => !activeUids.has(metadata.uid) && !finished.has(metadata.uid));
  const successes = [...finished.values()].flatMap(({ status }) => status?.completionTime ?? []);
  const lastSuccessfulTime = [...successes, ...(before ? [before] : [])].sort().at(-1);
  const left = active.filter(({ uid }) => !finished.has(uid));
  return {
    status: { ...rest, ...(left.length > 0 && { active: left }), ...(lastSuccessfulTime && { lastSuccessfulTime }) },
    events: [...over.map(tellFinished), ...strays.map(tellStray)],
  };
}

function tellFinished(job: Job): PlannedEvent {
  const message = `Saw completed job: ${job.metadata.name}, condition: ${finishedCondition(job)?.type}`;
  return { type: 'Normal', reason: 'SawCompletedJob', message };
}

function tellStray({ metadata }: Job): PlannedEvent {
  const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`;
  return { type: 'Warning', reason: 'UnexpectedJob', message };
}

/** Whether to start a job now, and when to sync again. */
export interface StartPlan {
  readonly start?: { readonly at: Millis; readonly zone: TimeZone; readonly replaces: boolean };
  readonly events: readonly PlannedEvent[];
  readonly nextLookMs?: Millis;
}

const warn = (reason: string, message: string): PlannedEvent => ({ type: 'Warning', reason, message });

/** Pure. `status` is the result of the review. */
export function planStart({ cronJob, now }: CronJobFacts, status: batchv1.CronJobStatus): StartPlan {
  const { spec, metadata } = cronJob;
  if (metadata.deletionTimestamp) return { events: [] };
  const problem = zoneProblem(spec.timeZone);
  if (problem) return { events: [problem] };
  if (spec.suspend) return { events: [] };
  const schedule = parseSchedule(spec.schedule);
  if (typeof schedule === 'string') {
    const message = `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${schedule}`;
    return { events: [warn('UnparseableSchedule', message)] };
  }
  const plan = planDue({ cronJob, status, now, schedule, zone: zoneOf(schedule, spec.timeZone) });
  return schedule.zone === undefined ? plan : { ...plan, events: [zonedSchedule(spec.schedule), ...plan.events] };
}

function zonedSchedule(schedule: string): PlannedEvent {
  const advice = 'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, ${advice}`;
  return warn('UnsupportedSchedule', message);
}

function zoneProblem(zone: string | undefined): PlannedEvent | undefined {
  if (zone === undefined || isTimeZone(zone)) return undefined;
  return warn('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`);
}

function zoneOf({ zone }: CronSchedule, stated: string | undefined): TimeZone {
  const name = zone ?? stated;
  return name === undefined ? utc : timeZone(name);
}

interface Due {
  readonly cronJob: CronJob;
  readonly status: batchv1.CronJobStatus;
  readonly now: Millis;
  readonly schedule: CronSchedule;
  readonly zone: TimeZone;
}

function planDue({ cronJob, status, now, schedule, zone }: Due): StartPlan {
  const { spec } = cronJob;
  const next = nextRun(schedule, now, zone);
  if (next === undefined) return { events: [warn('InvalidSchedule', `invalid schedule: ${spec.schedule} : ${never}`)] };
  const later = { nextLookMs: next - now + marginMs };
  const due = lastDueRun(schedule, { since: earliest(cronJob, now), now }, zone);
  if (!due) return { events: [], ...later };
  const events = due.missed > manyMissed ? [tooManyMissed] : [];
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined && due.at + Number(deadline) * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${rfc1123(due.at)}`;
    return { events: [...events, warn('MissSchedule', message)], ...later };
  }
  const isStarted =
    status.active?.some(({ name }) => name === jobName(cronJob, due.at)) ||
    status.lastScheduleTime === formatTime(due.at);
  if (isStarted) return { events, ...later };
  if (spec.concurrencyPolicy === 'Forbid' && status.active?.length) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    return { events: [...events, { type: 'Normal', reason: 'JobAlreadyActive', message }], ...later };
  }
  return { events, start: { at: due.at, zone, replaces: spec.concurrencyPolicy === 'Replace' }, ...later };
}

/** Upstream's error for a schedule without two future runs. */
const never = 'time difference between two schedules is less than 1 second';

const tooManyMissed = warn(
  'TooManyMissedTimes',
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
);

/** The start of the search for missed runs: the last started one, or the starting deadline. */
function earliest({ metadata, spec, status }: CronJob, now: Millis): Millis {
  const since = parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '') ?? now;
  const { startingDeadlineSeconds: deadline } = spec;
  return deadline === undefined ? since : Math.max(since, now - Number(deadline) * 1000);
}

/** One name per minute: creating the same run a second time fails. */
export function jobName({ metadata }: CronJob, at: Millis): string {
  return `${metadata.name}-${Math.floor(at / 60_000)}`;
}

function rfc1123(at: Millis): string {
  return new Date(at).toUTCString().replace('GMT', '+0000');
}

/** Finished jobs beyond the limits, the oldest first. */
export function planHistory({ cronJob, jobs }: CronJobFacts): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  const surplus = (type: string, limit: number | undefined) => {
    const remaining = jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ended = remaining.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...surplus('Complete', successfulJobsHistoryLimit), ...surplus('Failed', failedJobsHistoryLimit)];
}

function byStart(a: Job, b: Job): number {
  const [first, second] = [a.status?.startTime ?? '~', b.status?.startTime ?? '~'];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
