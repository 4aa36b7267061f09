import type { batchv1, Job, Pod } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { isActive, isReady, isTerminating } from '../pod-state.js';
import { matchFailurePolicy } from './failure-policy.js';
import { IndexSet } from './index-set.js';
import {
  failuresBefore,
  hasFailed,
  hasSucceeded,
  indexOf,
  isIndexed,
  isSuspended,
  isTracked,
  limitsEachIndex,
} from './job-pods.js';
import { matchSuccessPolicy } from './success-policy.js';

export interface JobFacts {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Uids of pods whose finalizer is removed, although the cache does not show it yet. */
  readonly released: ReadonlySet<string>;
  readonly now: Millis;
}

/** The result of a job. The interim condition is set first, and the final one when its last pod has terminated. */
export interface Verdict {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
}

/** The state of a job. */
export interface Assessment extends JobFacts {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Includes pods that are not counted in the status yet. */
  readonly succeeded: number;
  readonly failed: number;
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly succeededIndexes: IndexSet;
  /** Set if each index has its own backoff limit. */
  readonly failedIndexes: IndexSet | undefined;
  /** By index: the failed pod that is kept until its replacement has the failure count of the index. */
  readonly awaitingSuccessor: ReadonlyMap<number, Pod>;
  readonly verdict: Verdict | undefined;
}

export function assessJob(facts: JobFacts): Assessment {
  const { job, pods, released } = facts;
  const { status = {}, spec } = job;
  const uncounted = status.uncountedTerminatedPods ?? {};
  const isNew = (pod: Pod, counted: readonly string[] | undefined) =>
    isTracked(pod) &&
    !released.has(pod.metadata.uid ?? '') &&
    !counted?.includes(pod.metadata.uid ?? '') &&
    (!isIndexed(job) || indexOf(pod, job) !== undefined);
  const newlySucceeded = pods.filter((pod) => hasSucceeded(pod) && isNew(pod, uncounted.succeeded));
  const newlyFailed = pods.filter((pod) => hasFailed(pod, job) && isNew(pod, uncounted.failed));
  const active = pods.filter(isActive);
  const succeededIndexes = isIndexed(job) ? succeededIn(facts) : IndexSet.empty;
  const failedIndexes = isIndexed(job) && limitsEachIndex(job) ? failedIn(facts) : undefined;
  const total = (status.succeeded ?? 0) + newlySucceeded.length + (uncounted.succeeded?.length ?? 0);
  const countedFailures = newlyFailed.filter(
    (pod) => matchFailurePolicy(spec?.podFailurePolicy, pod).action !== 'Ignore',
  );
  const assessment = {
    ...facts,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: isIndexed(job) ? succeededIndexes.size : total,
    failed: (status.failed ?? 0) + countedFailures.length + (uncounted.failed?.length ?? 0),
    newlySucceeded,
    newlyFailed,
    succeededIndexes,
    failedIndexes,
    awaitingSuccessor: failedIndexes ? awaitingSuccessor(facts, succeededIndexes, failedIndexes) : new Map(),
  };
  return { ...assessment, verdict: verdictOn(assessment) };
}

function succeededIn({ job, pods }: JobFacts): IndexSet {
  const done = pods.filter((pod) => hasSucceeded(pod) && isTracked(pod));
  const completed = IndexSet.parse(job.status?.completedIndexes, job.spec?.completions ?? 0);
  return completed.with(done.flatMap((pod) => indexOf(pod, job) ?? []));
}

/** An index fails when a rule of the failure policy matches, or when it exceeds its backoff limit. */
function failedIn({ job, pods }: JobFacts): IndexSet {
  const { podFailurePolicy, backoffLimitPerIndex = 0, completions = 0 } = job.spec ?? {};
  const isOver = (pod: Pod) => {
    const { action } = matchFailurePolicy(podFailurePolicy, pod);
    if (action === 'FailIndex') return true;
    return action !== 'Ignore' && failuresBefore(pod).counted >= backoffLimitPerIndex;
  };
  const over = pods.filter((pod) => hasFailed(pod, job) && isTracked(pod) && isOver(pod));
  return IndexSet.parse(job.status?.failedIndexes, completions).with(over.flatMap((pod) => indexOf(pod, job) ?? []));
}

function awaitingSuccessor(
  { job, pods, released }: JobFacts,
  succeeded: IndexSet,
  failed: IndexSet,
): ReadonlyMap<number, Pod> {
  const running = new Set(pods.filter(isActive).map((pod) => indexOf(pod, job)));
  const waiting = new Map<number, Pod>();
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined || !isTracked(pod) || released.has(pod.metadata.uid ?? '') || !hasFailed(pod, job))
      continue;
    if (running.has(index) || succeeded.has(index) || failed.has(index)) continue;
    const other = waiting.get(index);
    if (!other || failureTotal(other) < failureTotal(pod)) waiting.set(index, pod);
  }
  return waiting;
}

export function failureTotal(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}

function verdictOn(assessment: Omit<Assessment, 'verdict'>): Verdict | undefined {
  const { job, succeededIndexes } = assessment;
  const { completions = 0, successPolicy } = job.spec ?? {};
  const condition = job.status?.conditions?.find(
    ({ type, status }) => (type === 'SuccessCriteriaMet' || type === 'FailureTarget') && status === 'True',
  );
  if (condition)
    return {
      type: condition.type as Verdict['type'],
      reason: condition.reason ?? '',
      message: condition.message ?? '',
    };
  const failure = failureOf(assessment);
  if (failure) return { type: 'FailureTarget', ...failure };
  const message = isIndexed(job)
    ? matchSuccessPolicy(successPolicy, { completions, succeeded: succeededIndexes })
    : undefined;
  return message === undefined ? undefined : { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message };
}

function failureOf(assessment: Omit<Assessment, 'verdict'>): Omit<Verdict, 'type'> | undefined {
  const { job, pods, failed, failedIndexes, succeededIndexes } = assessment;
  const { podFailurePolicy, backoffLimit = 6, maxFailedIndexes, completions = 0 } = job.spec ?? {};
  const fatal = pods
    .filter((pod) => hasFailed(pod, job))
    .map((pod) => matchFailurePolicy(podFailurePolicy, pod).message)
    .find((message) => message !== undefined);
  if (fatal !== undefined) return { reason: 'PodFailurePolicy', message: fatal };
  if (failed > backoffLimit || restartsExceed(job, pods))
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  if (deadlineIn(assessment) === 0)
    return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  if (!failedIndexes || failedIndexes.size === 0) return undefined;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return { reason: 'MaxFailedIndexesExceeded', message };
  }
  const isOver = failedIndexes.size + succeededIndexes.size >= completions;
  return isOver ? { reason: 'FailedIndexes', message: 'Job has failed indexes' } : undefined;
}

/** With restartPolicy OnFailure, restarts of containers count in addition to failed pods. */
function restartsExceed({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Milliseconds until the job exceeds its active deadline; 0 if it has. Suspended time does not count. */
export function deadlineIn({ job, now }: Pick<JobFacts, 'job' | 'now'>): Millis | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  const start = parseTime(job.status?.startTime ?? '');
  if (activeDeadlineSeconds === undefined || start === undefined || isSuspended(job)) return undefined;
  return Math.max(0, start + Number(activeDeadlineSeconds) * 1000 - now);
}

/** Without `completions`, one success is enough, and running pods are not terminated. */
export function isComplete({ spec }: Job, succeeded: number, active: number): boolean {
  const { completions } = spec ?? {};
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

export function conditionOf(
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
  { status, at }: { readonly status: 'True' | 'False'; readonly at: string },
): batchv1.JobCondition {
  return { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message };
}
