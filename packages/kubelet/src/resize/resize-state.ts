import type { PodCondition } from '@coracle/api';
import { findCondition, formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The state of a pod's resize. */
export interface ResizeState {
  /** The generation that requested it. */
  readonly generation: number | undefined;
  /** It is deferred or infeasible, with the reason. */
  readonly pending?: { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string; readonly since: Millis };
  /** It is allocated, and containers are being resized. */
  readonly inProgress?: boolean;
  /** The error of the last attempt. */
  readonly error?: string;
}

/** The conditions that report it; none without a resize. */
export function resizeConditions(
  resize: ResizeState | undefined,
  previous: readonly PodCondition[],
  now: Millis,
): PodCondition[] {
  if (!resize) return [];
  const { generation, pending, inProgress, error } = resize;
  const condition = (type: string, fields: Partial<PodCondition>): PodCondition => ({
    type,
    status: 'True',
    ...fields,
    lastTransitionTime: findCondition(previous, type)?.lastTransitionTime ?? formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  });
  return [
    ...(pending ? [condition('PodResizePending', { reason: pending.reason, message: pending.message })] : []),
    ...(inProgress
      ? [condition('PodResizeInProgress', error === undefined ? {} : { reason: 'Error', message: error })]
      : []),
  ];
}
