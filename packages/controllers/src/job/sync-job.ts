import { type batchv1, type Job, refs } from '@coracle/api';
import { formatTime, type ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ControllerContext } from '../controller.js';
import { freshnessTimeoutMs } from '../own-writes.js';
import { deletePod } from '../pod-control.js';
import { claimPods, ownerSelector, type PodOwnerKind } from '../pod-owners.js';
import { isReady } from '../pod-state.js';
import { type Assessment, assessJob, conditionOf, deadlineIn, isComplete, type Verdict } from './assess-job.js';
import type { JobAction } from './job-metrics.js';
import { finishedAt, isFinished, isSuspended, owner, trackingFinalizer } from './job-pods.js';
import type { JobPass, JobWork } from './job-work.js';
import { type Managed, managePods } from './manage-pods.js';
import { extendStreak } from './pod-backoff.js';
import { trackJob } from './track-job.js';

const ownName = 'kubernetes.io/job-controller';

export const jobKind: PodOwnerKind<Job> = {
  ...owner,
  ref: refs.jobs,
  selectorOf: ({ spec }) => ownerSelector(spec?.selector),
};

/** What is adopted must be counted too. */
const adopted = { finalizers: [trackingFinalizer] };

/** Syncs a job: manages its pods, and counts those that have ended. */
export async function syncJob(key: ObjectKey, work: JobWork): Promise<{ requeueAfterMs: Millis } | undefined> {
  const { context, streaks, writes } = work;
  const job = context.informers.for(refs.jobs).get(key);
  if (!job || (job.spec?.managedBy ?? ownName) !== ownName) return undefined;
  if (isFinished(job)) {
    streaks.forget(key);
    return undefined;
  }
  if (!writes.isFresh(key)) return { requeueAfterMs: freshnessTimeoutMs };
  const startedAt = context.clock.now();
  const sync: { action: JobAction; isError: boolean } = { action: 'reconciling', isError: true };
  try {
    const next = await syncPods(job, { key, work }, (action) => {
      sync.action = action;
    });
    sync.isError = false;
    return next;
  } finally {
    work.metrics.synced(job, { ...sync, tookMs: context.clock.now() - startedAt });
  }
}

async function syncPods(
  job: Job,
  pass: JobPass,
  onAction: (action: JobAction) => void,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  const { key, work } = pass;
  const { context, expectations, streaks } = work;
  const isSettled = expectations.satisfied(key);
  const now = context.clock.now();
  const pods = await claimPods(job, { context, kind: jobKind }, { adopted });
  const assessment = assessJob({ job: started(job, now), pods, released: work.released.get(key) ?? new Set(), now });
  const streak = extendStreak(streaks.get(key), {
    failed: assessment.newlyFailed.map(finishedAt),
    succeeded: assessment.newlySucceeded.map(finishedAt),
  });
  const managed = assessment.verdict
    ? await endPods(assessment, context)
    : isSettled && !job.metadata.deletionTimestamp
      ? await managePods(pass, assessment, { streak, onAction })
      : undefined;
  const active = managed?.active ?? assessment.active.length;
  const verdict = assessment.verdict
    ? // If there are pods that the cache does not show, or that could not be deleted, it is too early.
      isSettled && active === 0
      ? assessment.verdict
      : undefined
    : completion(assessment, active);
  const status = currentStatus({ assessment, managed, isAsked: managed !== undefined && !verdict }, context);
  await trackJob(pass, { original: job, assessment, status, verdict, onCounted: () => streaks.set(key, streak) });
  if (managed?.error !== undefined) throw managed.error;
  return nextLook(assessment, managed);
}

/** The start time of a job is when it is first seen unsuspended. */
function started(job: Job, now: Millis): Job {
  if (job.status?.startTime !== undefined || isSuspended(job)) return job;
  return { ...job, status: { ...job.status, startTime: formatTime(now) } };
}

/** Once the result of a job is decided, its pods are terminated. Their finalizers stay until they are counted. */
async function endPods({ job, active }: Assessment, context: ControllerContext): Promise<Managed> {
  const podOwner = { object: job, ...owner };
  const results = await Promise.allSettled(active.map((pod) => deletePod(context, podOwner, pod)));
  const left = active.filter((_, index) => results[index]?.status === 'rejected');
  const error = results.find((result) => result.status === 'rejected')?.reason;
  return {
    active: left.length,
    ready: left.filter(isReady).length,
    deleted: active.length - left.length,
    ...(error !== undefined && { error }),
  };
}

function completion({ job, succeeded }: Assessment, active: number): Verdict | undefined {
  if (!isComplete(job, succeeded, active)) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message };
}

interface StatusInput {
  readonly assessment: Assessment;
  readonly managed: Managed | undefined;
  /** Whether this sync computed the number of active pods, so that it is reported. */
  readonly isAsked: boolean;
}

function currentStatus({ assessment, managed, isAsked }: StatusInput, context: ControllerContext): batchv1.JobStatus {
  const { job, ready, terminating } = assessment;
  const { active: _before, ...status } = job.status ?? {};
  const active = managed?.active ?? assessment.active.length;
  const current: batchv1.JobStatus = {
    ...status,
    ...(active > 0 && { active }),
    ready: managed?.ready ?? ready,
    terminating: terminating + (managed?.deleted ?? 0),
  };
  return isAsked ? withSuspension(job, current, context) : current;
}

function withSuspension(
  job: Job,
  status: batchv1.JobStatus,
  { clock, recorder }: ControllerContext,
): batchv1.JobStatus {
  const { conditions = [], startTime: _, ...rest } = status;
  const before = conditions.find(({ type }) => type === 'Suspended');
  const suspended = isSuspended(job);
  if ((before?.status === 'True') === suspended) return status;
  const at = formatTime(clock.now());
  const [word, reason] = suspended ? ['suspended', 'Suspended'] : ['resumed', 'Resumed'];
  recorder.event({ ...job, ...owner }, 'Normal', reason, `Job ${word}`);
  const condition = conditionOf(
    { type: 'Suspended', reason: `Job${reason}`, message: `Job ${word}` },
    { status: suspended ? 'True' : 'False', at },
  );
  return {
    ...rest,
    conditions: before ? conditions.map((one) => (one === before ? condition : one)) : [...conditions, condition],
    // The deadline applies to time without suspension: a suspended job has no start time.
    ...(!suspended && { startTime: at }),
  };
}

function nextLook(assessment: Assessment, managed: Managed | undefined): { requeueAfterMs: Millis } | undefined {
  const waits = [deadlineIn(assessment), managed?.retryMs].flatMap((wait) => (wait ? [wait] : []));
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
}
