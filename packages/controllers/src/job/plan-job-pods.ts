import type { Job, Pod } from '@coracle/api';
import type { Millis } from '@coracle/base';
import { rankActivePods } from '../rank-pods.js';
import type { Assessment } from './assess-job.js';
import { failureTotal } from './assess-job.js';
import { finishedAt, indexOf, isIndexed, isSuspended, limitsEachIndex, waitsForTerminating } from './job-pods.js';
import { type FailureStreak, remainingBackoff } from './pod-backoff.js';

/** Maximum number of pods that are created or deleted in one pass. */
const burst = 500;

/** Either deletions or creations, never both in one pass; or a delay before creations. */
export type JobPodPlan =
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] }
  /** One pod for each; without an index if the job has none. */
  | { readonly kind: 'create'; readonly indexes: readonly (number | undefined)[] }
  | { readonly kind: 'wait'; readonly delayMs: Millis }
  | { readonly kind: 'nothing' };

/** Pure. */
export function planJobPods(assessment: Assessment, streak: FailureStreak): JobPodPlan {
  const { job, active, terminating } = assessment;
  const desired = isSuspended(job) ? 0 : wantedActive(assessment);
  const surplus = surplusPods(assessment, Math.max(0, active.length - desired));
  if (surplus.length > 0) return { kind: 'delete', pods: surplus.slice(0, burst) };
  const missing = desired - active.length - (waitsForTerminating(job) ? terminating : 0);
  return missing > 0 ? planCreation(assessment, Math.min(missing, burst), streak) : { kind: 'nothing' };
}

function wantedActive({ job, active, succeeded }: Assessment): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Pods that share an index or have an invalid one are deleted first. */
function surplusPods({ job, active }: Assessment, count: number): Pod[] {
  const ranked = rankActivePods(active);
  const misplaced = isIndexed(job) ? misindexed(job, ranked) : [];
  const others = ranked.filter((pod) => !misplaced.includes(pod));
  return [...misplaced, ...others.slice(0, Math.max(0, count - misplaced.length))];
}

function misindexed(job: Job, ranked: readonly Pod[]): Pod[] {
  const taken = new Set<number>();
  return ranked.toReversed().filter((pod) => {
    const index = indexOf(pod, job);
    if (index === undefined || taken.has(index)) return true;
    taken.add(index);
    return false;
  });
}

function planCreation(assessment: Assessment, count: number, streak: FailureStreak): JobPodPlan {
  const { job, now } = assessment;
  if (!limitsEachIndex(job)) {
    const delayMs = remainingBackoff(streak, now);
    if (delayMs > 0) return { kind: 'wait', delayMs };
  }
  if (!isIndexed(job)) return { kind: 'create', indexes: Array.from({ length: count }, () => undefined) };
  const due: number[] = [];
  const delays: Millis[] = [];
  for (const index of pendingIndexes(assessment, count)) {
    const delayMs = indexBackoff(assessment, index);
    if (delayMs === 0) due.push(index);
    else delays.push(delayMs);
  }
  if (due.length > 0) return { kind: 'create', indexes: due };
  return delays.length > 0 ? { kind: 'wait', delayMs: Math.min(...delays) } : { kind: 'nothing' };
}

/** The lowest indexes without a running pod that are not completed or failed. */
function pendingIndexes({ job, pods, active, succeededIndexes, failedIndexes }: Assessment, count: number): number[] {
  const blocking = waitsForTerminating(job)
    ? pods.filter(({ metadata, status }) => metadata.deletionTimestamp && status?.phase !== 'Failed')
    : [];
  const taken = new Set([...active, ...blocking].map((pod) => indexOf(pod, job)));
  const pending: number[] = [];
  const { completions = 0 } = job.spec ?? {};
  for (let index = 0; index < completions && pending.length < count; index++)
    if (!taken.has(index) && !succeededIndexes.has(index) && !failedIndexes?.has(index)) pending.push(index);
  return pending;
}

function indexBackoff({ awaitingSuccessor, now }: Assessment, index: number): Millis {
  const failed = awaitingSuccessor.get(index);
  if (!failed) return 0;
  return remainingBackoff({ failures: failureTotal(failed) + 1, lastAt: finishedAt(failed) }, now);
}
