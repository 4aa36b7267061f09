import { type batchv1, type CronJob, type Job, objectReference, refs } from '@coracle/api';
import {
  formatTime,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  type ObjectKey,
  parseTime,
} from '@coracle/apimachinery';
import { deepCopy, deepEqual, type Millis, messageOf } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { ControllerContext } from '../controller.js';
import { freshnessTimeoutMs, type OwnWrites } from '../own-writes.js';
import { controllerReferenceTo } from '../owner-claims.js';
import { dependentsOf } from '../owner-index.js';
import {
  type CronJobFacts,
  jobName,
  type PlannedEvent,
  planHistory,
  planStart,
  reviewJobs,
  type StartPlan,
} from './plan-cronjob.js';
import { formatInZone } from './time-zone.js';

export const owner = { apiVersion: 'batch/v1', kind: 'CronJob' } as const;
const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Buckets from one to 512 seconds. */
const skewBuckets = Array.from({ length: 10 }, (_, power) => 2 ** power);

export interface CronWork {
  readonly context: ControllerContext;
  readonly writes: OwnWrites<CronJob>;
}

type Status = batchv1.CronJobStatus;

export async function syncCronJob(key: ObjectKey, work: CronWork): Promise<{ requeueAfterMs: Millis } | undefined> {
  const { context, writes } = work;
  const cronJob = context.informers.for(refs.cronJobs).get(key);
  if (!cronJob) return undefined;
  if (!writes.isFresh(key)) return { requeueAfterMs: freshnessTimeoutMs };
  const jobs = dependentsOf(context.informers.for(refs.jobs), cronJob.metadata.uid ?? '');
  const facts: CronJobFacts = { cronJob, jobs, now: context.clock.now() };
  const review = reviewJobs(facts);
  tell(cronJob, context, review.events);
  const present = await withoutMissing(facts, review.status, context);
  const plan = planStart(facts, present);
  tell(cronJob, context, plan.events);
  const { status, error } = await start(plan, { cronJob, status: present }, context);
  const final = await deleteAll(planHistory(facts), { cronJob, status }, context);
  await save(key, { cronJob, status: final }, work);
  if (error !== undefined) throw error;
  return plan.nextLookMs === undefined ? undefined : { requeueAfterMs: plan.nextLookMs };
}

interface CronState {
  readonly cronJob: CronJob;
  readonly status: Status;
}

/** A job that is not in the cache may be new; only the server can confirm that it was deleted. */
async function withoutMissing(
  { cronJob, jobs }: CronJobFacts,
  status: Status,
  context: ControllerContext,
): Promise<Status> {
  const jobUids = new Set(jobs.map(({ metadata }) => metadata.uid));
  let left = status;
  for (const { uid, name = '' } of status.active ?? []) {
    if (jobUids.has(uid) || (await exists(name, cronJob, context))) continue;
    tell(cronJob, context, [{ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` }]);
    left = withoutActive(left, uid);
  }
  return left;
}

async function exists(name: string, { metadata }: CronJob, { client }: ControllerContext): Promise<boolean> {
  try {
    await client.resource(refs.jobs, metadata.namespace).get(name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function withoutActive({ active = [], ...status }: Status, uid: string | undefined): Status {
  const left = active.filter((one) => one.uid !== uid);
  return left.length > 0 ? { ...status, active: left } : status;
}

/** An error is returned, not thrown: the results so far must still be written to the status. */
async function start(
  { start: run }: StartPlan,
  { cronJob, status }: CronState,
  context: ControllerContext,
): Promise<{ readonly status: Status; readonly error?: unknown }> {
  if (!run) return { status };
  let left = status;
  try {
    if (run.replaces) left = await replace({ cronJob, status }, context);
    const job = await createJob(makeJob(cronJob, run), { cronJob, at: run.at }, context);
    if (!job) return { status: left };
    const active = [
      ...(left.active ?? []),
      objectReference({ apiVersion: 'batch/v1', kind: 'Job', metadata: job.metadata }),
    ];
    return { status: { ...left, active, lastScheduleTime: formatTime(run.at) } };
  } catch (error) {
    return { status: left, error };
  }
}

async function replace({ cronJob, status }: CronState, context: ControllerContext): Promise<Status> {
  let left = status;
  for (const { name = '', uid } of status.active ?? []) {
    if (!(await deleteJob(name, cronJob, context))) throw new Error(`could not replace job ${name}`);
    left = withoutActive(left, uid);
  }
  return left;
}

function makeJob(cronJob: CronJob, { at, zone }: NonNullable<StartPlan['start']>): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const { namespace } = cronJob.metadata;
  const annotations = { ...metadata?.annotations, [scheduledAnnotation]: formatInZone(at, zone) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, at),
      ...(namespace && { namespace }),
      ...(metadata?.labels && { labels: { ...metadata.labels } }),
      annotations,
      ownerReferences: [controllerReferenceTo(cronJob, owner)],
    },
    ...(spec && { spec: deepCopy(spec) }),
  };
}

/** `undefined` if the name is taken by a job of another owner, or the job cannot be created. */
async function createJob(
  job: Job,
  { cronJob, at }: { readonly cronJob: CronJob; readonly at: Millis },
  context: ControllerContext,
): Promise<Job | undefined> {
  const jobs = context.client.resource(refs.jobs, cronJob.metadata.namespace);
  try {
    const created = await jobs.create(job);
    measureSkew(created, at, context);
    const message = `Created job ${created.metadata.name}`;
    tell(cronJob, context, [{ type: 'Normal', reason: 'SuccessfulCreate', message }]);
    return created;
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (isAlreadyExists(error)) {
      const taken = await jobs.get(job.metadata.name ?? '');
      return isControlledBy(taken, cronJob) ? taken : undefined;
    }
    tell(cronJob, context, [
      { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${messageOf(error)}` },
    ]);
    throw error;
  }
}

/** Delay between the scheduled time and the creation of a job. */
function measureSkew({ metadata }: Job, at: Millis, { metrics, clock }: ControllerContext): void {
  const skew = metrics.histogram({
    name: 'cronjob_controller_job_creation_skew_duration_seconds',
    help: 'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
    buckets: skewBuckets,
  });
  const createdAt = metadata.creationTimestamp && parseTime(metadata.creationTimestamp);
  skew.observe(((createdAt || clock.now()) - at) / 1000);
}

async function deleteAll(
  jobs: readonly Job[],
  { cronJob, status }: CronState,
  context: ControllerContext,
): Promise<Status> {
  let left = status;
  for (const { metadata } of jobs)
    if (await deleteJob(metadata.name ?? '', cronJob, context)) left = withoutActive(left, metadata.uid);
  return left;
}

async function deleteJob(name: string, cronJob: CronJob, context: ControllerContext): Promise<boolean> {
  try {
    await context.client
      .resource(refs.jobs, cronJob.metadata.namespace)
      .delete(name, { propagationPolicy: 'Background' });
    tell(cronJob, context, [{ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` }]);
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    tell(cronJob, context, [{ type: 'Warning', reason: 'FailedDelete', message: `Deleted job: ${messageOf(error)}` }]);
    return false;
  }
}

async function save(key: ObjectKey, { cronJob, status }: CronState, { context, writes }: CronWork): Promise<void> {
  if (deepEqual(status, cronJob.status ?? {})) return;
  try {
    const { namespace } = cronJob.metadata;
    const written = await context.client.resource(refs.cronJobs, namespace).updateStatus({ ...cronJob, status });
    writes.wrote(key, written);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function tell(cronJob: CronJob, { recorder }: ControllerContext, events: readonly PlannedEvent[]): void {
  for (const { type, reason, message } of events) recorder.event({ ...cronJob, ...owner }, type, reason, message);
}
