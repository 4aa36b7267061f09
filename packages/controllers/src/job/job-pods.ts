import type { batchv1, Job, Pod, PodTemplateSpec } from '@coracle/api';
import { hasFinalizer, parseTime } from '@coracle/apimachinery';
import { deepCopy, type Millis } from '@coracle/base';

export const owner = { apiVersion: 'batch/v1', kind: 'Job' } as const;
/** Keeps a pod until it has been counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';
const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count';
const ignoredCountAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';
/** Maximum length of the name prefix: pods have a random suffix, and the whole name must be a host name. */
const maxPrefix = 63 - 5;

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

export function limitsEachIndex({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined;
}

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, trackingFinalizer);
}

/** Whether terminating pods still count as running: then they are replaced only after they have ended. */
export function waitsForTerminating({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/** A pod that is deleted before it ends counts as failed, unless the job waits for its end. */
export function hasFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status?.phase === 'Failed') return true;
  if (waitsForTerminating(job)) return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

export function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}

/** Its index, if it has a valid one of the job. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const text = metadata.annotations?.[indexKey];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const index = Number(text);
  return index < (spec?.completions ?? 0) ? index : undefined;
}

/** Number of earlier failures of its index. */
export function failuresBefore({ metadata }: Pod): { readonly counted: number; readonly ignored: number } {
  return {
    counted: Number(metadata.annotations?.[failureCountAnnotation] ?? 0),
    ignored: Number(metadata.annotations?.[ignoredCountAnnotation] ?? 0),
  };
}

/**
 * When it ended: when its last container did. If that is unknown, when the pod stopped being ready, or when its
 * deletion was requested.
 */
export function finishedAt({ metadata, status }: Pod): Millis {
  const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const ends = containers.map(({ state }) => parseTime(state?.terminated?.finishedAt ?? ''));
  const finished = ends.filter((at) => at !== undefined);
  if (finished.length > 0 && finished.length === ends.length) return Math.max(...finished);
  const ready = status?.conditions?.find(({ type, status: value }) => type === 'Ready' && value === 'False');
  const unreadyAt = parseTime(ready?.lastTransitionTime ?? '');
  if (unreadyAt !== undefined) return unreadyAt;
  const deletedAt = parseTime(metadata.deletionTimestamp ?? '');
  if (deletedAt !== undefined) return deletedAt - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return parseTime(metadata.creationTimestamp ?? '') ?? 0;
}

/** The template of a pod, with the finalizer that lets it be counted. */
export function jobTemplate({ spec }: Job): PodTemplateSpec {
  const template = deepCopy(spec?.template) ?? {};
  const finalizers = [...new Set([...(template.metadata?.finalizers ?? []), trackingFinalizer])];
  return { ...template, metadata: { ...template.metadata, finalizers } };
}

export interface IndexedPod {
  readonly index: number;
  /** The failure count of its index, if failures are limited per index. */
  readonly failures?: { readonly counted: number; readonly ignored: number } | undefined;
}

/** The same for one index, which is in the pod's labels, annotations, host name and environment. */
export function indexedTemplate(job: Job, { index, failures }: IndexedPod): PodTemplateSpec {
  const { metadata, spec } = jobTemplate(job);
  const annotations = {
    ...metadata?.annotations,
    [indexKey]: String(index),
    ...(failures && { [failureCountAnnotation]: String(failures.counted) }),
    ...(failures && failures.ignored > 0 && { [ignoredCountAnnotation]: String(failures.ignored) }),
  };
  const labels = { ...metadata?.labels, [indexKey]: String(index) };
  return {
    metadata: { ...metadata, annotations, labels },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: (spec?.containers ?? []).map(withIndexVariable),
      ...(spec?.initContainers && { initContainers: spec.initContainers.map(withIndexVariable) }),
    },
  };
}

export function indexedPrefix({ metadata }: Job, index: number): string {
  const end = `-${index}-`;
  return `${(metadata.name ?? '').slice(0, maxPrefix - end.length)}${end}`;
}

type Container = NonNullable<NonNullable<PodTemplateSpec['spec']>['containers']>[number];

function withIndexVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexKey}']` };
  return { ...container, env: [...(container.env ?? []), { name: indexVariable, valueFrom: { fieldRef } }] };
}

export function isFinished({ status }: { readonly status?: batchv1.JobStatus }): boolean {
  return finishedCondition({ status: status ?? {} }) !== undefined;
}

/** `Complete` or `Failed`, once it holds. */
export function finishedCondition({
  status,
}: {
  readonly status?: batchv1.JobStatus;
}): batchv1.JobCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}
