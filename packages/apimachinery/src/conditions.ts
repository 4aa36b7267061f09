import type { Millis } from '@coracle/base';
import { formatTime } from './time.js';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** The fields that conditions of all kinds have in common, both `metav1.Condition` and the older ones of core. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export function findCondition<T extends ConditionLike>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The conditions with `next` replacing the one of its type, or at the end. The transition time changes only with the
 * status. Returns the same array when nothing changes, so that a caller can tell.
 */
export function setCondition<T extends ConditionLike>(
  conditions: readonly T[] | undefined,
  next: Omit<T, 'lastTransitionTime'>,
  now: Millis,
): readonly T[] {
  const list = conditions ?? [];
  const previous = findCondition(list, next.type);
  const lastTransitionTime =
    previous?.status === next.status && previous.lastTransitionTime ? previous.lastTransitionTime : formatTime(now);
  // What a type adds to conditions comes from `next`; the compiler cannot put an `Omit` together again.
  const condition = { ...previous, ...next, lastTransitionTime } as T;
  if (!previous) return [...list, condition];
  return same(previous, condition) ? list : list.map((one) => (one === previous ? condition : one));
}

function same(a: ConditionLike, b: ConditionLike): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof ConditionLike>;
  return [...keys].every((key) => a[key] === b[key]);
}
