import type { PodCondition } from '@coracle/api';
import { findCondition, formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The progress of the resize of a pod. */
export interface ResizeState {
  /** The generation that requested it. */
  readonly generation: number | undefined;
  /** It was not allocated, and why. */
  readonly pending?: { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string; readonly since: Millis };
  /** It was allocated, and containers are being brought there. */
  readonly inProgress?: boolean;
  /** The last attempt to bring them there failed. */
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
