import { type Pod, refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { ControllerContext } from '../controller.js';
import { createPod, deletePod, type PodOwner } from '../pod-control.js';
import { isReady } from '../pod-state.js';
import { slowStart } from '../slow-start.js';
import type { Assessment } from './assess-job.js';
import { matchFailurePolicy } from './failure-policy.js';
import type { JobAction } from './job-metrics.js';
import {
  failuresBefore,
  indexedPrefix,
  indexedTemplate,
  isSuspended,
  isTracked,
  jobTemplate,
  limitsEachIndex,
  owner,
  trackingFinalizer,
} from './job-pods.js';
import type { JobPass } from './job-work.js';
import { type JobPodPlan, planJobPods } from './plan-job-pods.js';
import type { FailureStreak } from './pod-backoff.js';

/** The pods of a job after a sync. */
export interface Managed {
  readonly active: number;
  readonly ready: number;
  readonly deleted: number;
  readonly retryMs?: Millis;
  readonly error?: unknown;
}

export interface ManageOptions {
  readonly streak: FailureStreak;
  /** Called with the action before it is executed. */
  onAction(action: JobAction): void;
}

export async function managePods(
  pass: JobPass,
  assessment: Assessment,
  { streak, onAction }: ManageOptions,
): Promise<Managed> {
  const plan = planJobPods(assessment, streak);
  onAction(isSuspended(assessment.job) ? 'pods_deleted' : actions[plan.kind]);
  const unchanged: Managed = { active: assessment.active.length, ready: assessment.ready, deleted: 0 };
  switch (plan.kind) {
    case 'delete':
      return deletePods(pass, assessment, plan.pods);
    case 'create':
      return createPods(pass, assessment, plan.indexes);
    case 'wait':
      return { ...unchanged, retryMs: plan.delayMs };
    case 'nothing':
      return unchanged;
  }
}

const actions = {
  delete: 'pods_deleted',
  create: 'pods_created',
  wait: 'tracking',
  nothing: 'tracking',
} as const satisfies Readonly<Record<JobPodPlan['kind'], JobAction>>;

/** Excess pods do not count as failed: their finalizer is removed before they are deleted. */
async function deletePods(
  { key, work }: JobPass,
  { job, active, ready }: Assessment,
  pods: readonly Pod[],
): Promise<Managed> {
  const { context, expectations } = work;
  const podOwner: PodOwner = { object: job, ...owner };
  expectations.expect(key, { deletions: pods.map(({ metadata }) => metadata.uid ?? '') });
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      await letGo(work.context, pod);
      await deletePod(context, podOwner, pod);
    }),
  );
  results.forEach(({ status }, index) => {
    if (status === 'rejected') expectations.deletionObserved(key, pods[index]?.metadata.uid ?? '');
  });
  const gone = pods.filter((_, index) => results[index]?.status === 'fulfilled');
  const error = results.find((result) => result.status === 'rejected')?.reason;
  return {
    active: active.length - gone.length,
    ready: ready - gone.filter(isReady).length,
    deleted: gone.length,
    ...(error !== undefined && { error }),
  };
}

async function createPods(
  { key, work }: JobPass,
  assessment: Assessment,
  indexes: readonly (number | undefined)[],
): Promise<Managed> {
  const { context, expectations } = work;
  expectations.expect(key, { creations: indexes.length });
  const { done, error } = await slowStart(indexes.length, async (at) => {
    const index = indexes[at];
    await (index === undefined
      ? createPod(context, { object: assessment.job, ...owner }, jobTemplate(assessment.job))
      : createIndexed(work.context, assessment, index));
  });
  // A pod whose creation failed will not be observed.
  expectations.creationObserved(key, indexes.length - done);
  const isFailure = error !== undefined && !isNamespaceTerminating(error);
  const { active, ready } = assessment;
  return { active: active.length + done, ready, deleted: 0, ...(isFailure && { error }) };
}

async function createIndexed(context: ControllerContext, assessment: Assessment, index: number): Promise<void> {
  const { job, awaitingSuccessor } = assessment;
  const failed = awaitingSuccessor.get(index);
  const failures = limitsEachIndex(job) ? failuresAfter(failed, assessment) : undefined;
  const podOwner = { object: job, ...owner, podPrefix: indexedPrefix(job, index) };
  await createPod(context, podOwner, indexedTemplate(job, { index, failures }));
}

function failuresAfter(
  failed: Pod | undefined,
  { job }: Assessment,
): { readonly counted: number; readonly ignored: number } {
  if (!failed) return { counted: 0, ignored: 0 };
  const { counted, ignored } = failuresBefore(failed);
  const isIgnored = matchFailurePolicy(job.spec?.podFailurePolicy, failed).action === 'Ignore';
  return isIgnored ? { counted, ignored: ignored + 1 } : { counted: counted + 1, ignored };
}

/** Removes the finalizer of a pod, so that it can be deleted. Ignores a deleted pod. */
export async function letGo({ client }: ControllerContext, pod: Pod): Promise<void> {
  if (!isTracked(pod)) return;
  const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
  try {
    await client
      .resource(refs.pods, pod.metadata.namespace)
      .patch(pod.metadata.name ?? '', patch, { type: 'strategic' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
