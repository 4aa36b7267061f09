import type { batchv1, Pod } from '@coracle/api';
import type { Assessment, Verdict } from './assess-job.js';
import { matchFailurePolicy } from './failure-policy.js';
import { hasFailed, hasSucceeded, indexOf, isIndexed, isTracked } from './job-pods.js';

/** Maximum number of uids in a status, which bounds its size. */
const maxUncounted = 500;

/** Uncounted uids whose pods have lost their finalizer are added to the counters. */
export function settle(status: batchv1.JobStatus, held: ReadonlySet<string>): batchv1.JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const keep = (uids: readonly string[]) => uids.filter((uid) => held.has(uid));
  const [waiting, waitingFailed] = [keep(succeeded), keep(failed)];
  return withCounts(status, {
    succeeded: (status.succeeded ?? 0) + succeeded.length - waiting.length,
    failed: (status.failed ?? 0) + failed.length - waitingFailed.length,
    uncounted: { succeeded: waiting, failed: waitingFailed },
  });
}

interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

function withCounts(
  { succeeded: _succeeded, failed: _failed, ...status }: batchv1.JobStatus,
  { succeeded, failed, uncounted }: Counts,
): batchv1.JobStatus {
  return {
    ...status,
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 && { succeeded: [...uncounted.succeeded] }),
      ...(uncounted.failed.length > 0 && { failed: [...uncounted.failed] }),
    },
  };
}

/** The pods that are in the status, or will be once it is written: after that their finalizers may be removed. */
export interface Accounting {
  readonly status: batchv1.JobStatus;
  readonly release: readonly Pod[];
  /** Whether there are more than a status can hold. */
  readonly isPartial: boolean;
}

/** Enters pods that have ended into the status by their uids, so that each is counted once whatever happens in between. */
export function account(assessment: Assessment, before: batchv1.JobStatus, verdict: Verdict | undefined): Accounting {
  const { job } = assessment;
  const entry = new Entry(before.uncountedTerminatedPods);
  const release: Pod[] = [];
  const indexes: number[] = [];
  let isPartial = false;
  for (const pod of heldPods(assessment)) {
    if (!mayRelease(assessment, pod, verdict)) continue;
    release.push(pod);
    const uid = pod.metadata.uid ?? '';
    const index = indexOf(pod, job);
    if (hasSucceeded(pod) && !entry.failed.has(uid)) {
      if (!isIndexed(job)) entry.succeeded.add(uid);
      else if (index !== undefined) indexes.push(index);
    } else if (countsAsFailed(assessment, pod, verdict)) entry.failed.add(uid);
    isPartial = indexes.length + entry.size >= maxUncounted;
    if (isPartial) break;
  }
  const counts = { succeeded: before.succeeded ?? 0, failed: before.failed ?? 0, uncounted: entry.toStatus() };
  const status = withCounts(before, counts);
  return { status: isIndexed(job) ? withIndexes(assessment, status, indexes) : status, release, isPartial };
}

class Entry {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;

  constructor({ succeeded = [], failed = [] }: batchv1.UncountedTerminatedPods = {}) {
    this.succeeded = new Set(succeeded);
    this.failed = new Set(failed);
  }

  get size(): number {
    return this.succeeded.size + this.failed.size;
  }

  toStatus(): Counts['uncounted'] {
    return { succeeded: [...this.succeeded], failed: [...this.failed] };
  }
}

export function heldPods({ job, pods, released }: Assessment): Pod[] {
  const held = pods.filter((pod) => isTracked(pod) && !released.has(pod.metadata.uid ?? ''));
  return isIndexed(job) ? held.sort((a, b) => (indexOf(a, job) ?? -1) - (indexOf(b, job) ?? -1)) : held;
}

/** Whether a pod may lose its finalizer: any pod of a finished job, else a finished pod whose replacement does not depend on it. */
function mayRelease({ job, awaitingSuccessor }: Assessment, pod: Pod, verdict: Verdict | undefined): boolean {
  if (job.metadata.deletionTimestamp || verdict || hasSucceeded(pod)) return true;
  if (!hasFailed(pod, job)) return false;
  const index = indexOf(pod, job);
  return index === undefined || awaitingSuccessor.get(index) !== pod;
}

/** When a job has failed, its running pods count as failed. */
function countsAsFailed({ job }: Assessment, pod: Pod, verdict: Verdict | undefined): boolean {
  if (!hasFailed(pod, job) && verdict?.type !== 'FailureTarget') return false;
  if (isIndexed(job) && indexOf(pod, job) === undefined) return false;
  return matchFailurePolicy(job.spec?.podFailurePolicy, pod).action !== 'Ignore';
}

function withIndexes(
  { succeededIndexes, failedIndexes }: Assessment,
  { succeeded: _counted, completedIndexes: __completedIndexes, ...status }: batchv1.JobStatus,
  more: readonly number[],
): batchv1.JobStatus {
  const all = succeededIndexes.with(more);
  return {
    ...status,
    ...(all.size > 0 && { succeeded: all.size, completedIndexes: String(all) }),
    ...(failedIndexes && { failedIndexes: String(failedIndexes) }),
  };
}
