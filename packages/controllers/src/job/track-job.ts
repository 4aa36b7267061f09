import { type batchv1, type Job, type Pod, refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { type Assessment, conditionOf, type Verdict } from './assess-job.js';
import { account, heldPods, settle } from './count-pods.js';
import { owner } from './job-pods.js';
import type { JobPass } from './job-work.js';
import { letGo } from './manage-pods.js';

export interface Tracking {
  /** The job in the cache. */
  readonly original: Job;
  readonly assessment: Assessment;
  /** Status changes besides the counts. */
  readonly status: batchv1.JobStatus;
  readonly verdict: Verdict | undefined;
  /** Called when ended pods have been entered into the status. */
  onCounted(): void;
}

/**
 * Counts each pod once, in three steps that may be interrupted after each: its uid is written into the status, its
 * finalizer is removed, the uid is added to the number. A job is finished when all its pods have ended and are counted.
 */
export async function trackJob(pass: JobPass, tracking: Tracking): Promise<void> {
  const { original, assessment, verdict } = tracking;
  const held = new Set(heldPods(assessment).map(({ metadata }) => metadata.uid ?? ''));
  const before = settle(tracking.status, held);
  const { status, release, isPartial } = account(assessment, before, verdict);
  const at = formatTime(assessment.now);
  const announced = verdict ? announce(status, verdict, at) : status;
  const written = await save(pass, original, announced);
  if (!written) return;
  tracking.onCounted();
  const failure = await releasePods(pass, release, held);
  const settled = settle(written.status ?? {}, held);
  const isOver = !isPartial && isDone(settled);
  const final = verdict && isOver && failure === undefined ? finish(settled, verdict, at) : settled;
  await save(pass, written, final);
  if (failure !== undefined) throw failure;
  if (verdict && final !== settled) report(pass, written, { verdict, status: final });
}

function announce(status: batchv1.JobStatus, verdict: Verdict, at: string): batchv1.JobStatus {
  const { conditions = [] } = status;
  if (conditions.some(({ type }) => type === verdict.type)) return status;
  return { ...status, conditions: [...conditions, conditionOf(verdict, { status: 'True', at })] };
}

/** The job as it is stored now; `undefined` if it has been deleted meanwhile, and its pods are orphaned. */
async function save({ key, work }: JobPass, job: Job, status: batchv1.JobStatus): Promise<Job | undefined> {
  if (deepEqual(status, job.status ?? {})) return job;
  const { client } = work.context;
  try {
    const written = await client.resource(refs.jobs, job.metadata.namespace).updateStatus({ ...job, status });
    work.writes.wrote(key, written);
    work.metrics.counted(job, status);
    return written;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Removes pods whose finalizer could be removed from `held`. Returns the first error. */
async function releasePods({ key, work }: JobPass, pods: readonly Pod[], held: Set<string>): Promise<unknown> {
  const released = work.released.get(key) ?? new Set();
  if (pods.length > 0) work.released.set(key, released);
  for (const { metadata } of pods) released.add(metadata.uid ?? '');
  const results = await Promise.allSettled(pods.map((pod) => letGo(work.context, pod)));
  results.forEach(({ status }, index) => {
    const uid = pods[index]?.metadata.uid ?? '';
    if (status === 'fulfilled') held.delete(uid);
    else released.delete(uid);
  });
  return results.find((result) => result.status === 'rejected')?.reason;
}

function isDone({ uncountedTerminatedPods, terminating = 0 }: batchv1.JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length + terminating === 0;
}

function finish(status: batchv1.JobStatus, { type, reason, message }: Verdict, at: string): batchv1.JobStatus {
  const isSuccess = type === 'SuccessCriteriaMet';
  const condition = conditionOf({ type: isSuccess ? 'Complete' : 'Failed', reason, message }, { status: 'True', at });
  return {
    ...status,
    conditions: [...(status.conditions ?? []), condition],
    ...(isSuccess && { completionTime: at }),
  };
}

function report(
  { work }: JobPass,
  job: Job,
  { verdict, status }: { readonly verdict: Verdict; readonly status: batchv1.JobStatus },
): void {
  const { recorder } = work.context;
  const subject = { ...job, ...owner };
  work.metrics.finished(job, verdict.type === 'FailureTarget' ? 'failed' : 'succeeded', verdict.reason);
  if (verdict.type === 'FailureTarget') {
    recorder.event(subject, 'Warning', verdict.reason, verdict.message);
    return;
  }
  if ((status.succeeded ?? 0) > (job.spec?.completions ?? Number.POSITIVE_INFINITY)) {
    const message = 'Too many succeeded pods running after completion count reached';
    recorder.event(subject, 'Warning', 'TooManySucceededPods', message);
  }
  recorder.event(subject, 'Normal', 'Completed', 'Job completed');
}
