import type { appsv1, Pod, ReplicaSet, ReplicationController } from '@coracle/api';
import { formatTime, LabelSelector } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { isActive, isAvailable, isReady, isTerminating } from '../pod-state.js';

export interface StatusInput {
  readonly object: ReplicaSet | ReplicationController;
  /** All pods that belong to it, including terminated ones. */
  readonly pods: readonly Pod[];
  readonly now: Millis;
  readonly countsTerminating: boolean;
  /** The error of creating or deleting pods, if there was one. */
  readonly failure?: { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string };
}

export function computeReplicaSetStatus({
  object,
  pods,
  now,
  countsTerminating,
  failure,
}: StatusInput): appsv1.ReplicaSetStatus {
  const active = pods.filter(isActive);
  const templateLabels = LabelSelector.fromLabels(object.spec?.template?.metadata?.labels ?? {});
  const minReadySeconds = object.spec?.minReadySeconds ?? 0;
  const nonzero = (name: string, value: number) => (value === 0 ? {} : { [name]: value });
  const conditions = withFailure(object.status?.conditions ?? [], failure, now);
  return {
    replicas: active.length,
    ...nonzero(
      'fullyLabeledReplicas',
      active.filter(({ metadata }) => templateLabels.matches(metadata.labels ?? {})).length,
    ),
    ...nonzero('readyReplicas', active.filter(isReady).length),
    ...nonzero('availableReplicas', active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length),
    ...(countsTerminating && { terminatingReplicas: pods.filter(isTerminating).length }),
    observedGeneration: object.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** The condition is set by a failure and removed by the next pass without one. */
function withFailure(
  conditions: readonly appsv1.ReplicaSetCondition[],
  failure: StatusInput['failure'],
  now: Millis,
): appsv1.ReplicaSetCondition[] {
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (!failure) return others;
  const current = conditions.find(({ type }) => type === 'ReplicaFailure');
  if (current?.reason === failure.reason) return [...conditions];
  return [
    ...others,
    {
      type: 'ReplicaFailure',
      status: 'True',
      reason: failure.reason,
      message: failure.message,
      lastTransitionTime: formatTime(now),
    },
  ];
}
