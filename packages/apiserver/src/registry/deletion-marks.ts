import { formatTime, type KubeObject, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Strategy } from './strategy.js';

/** Whether the object is marked for deletion, its grace period is over, and it has no finalizers. */
export function isReadyToGo(strategy: Strategy, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && !isHeldBack(strategy, object);
}

/** Whether something has to be done before the object may be removed. */
export function isHeldBack(strategy: Strategy, object: KubeObject): boolean {
  return (object.metadata.finalizers?.length ?? 0) > 0 || (strategy.holdsDeletion?.(object) ?? false);
}

/**
 * Marks an object for removal `graceSeconds` from now. The time can only be shortened afterwards; only the first mark
 * increases the generation.
 */
export function markForDeletion({ metadata }: KubeObject, now: Millis, graceSeconds: number): void {
  const at = now + spanOf(graceSeconds);
  const isFirst = metadata.deletionTimestamp === undefined;
  const before = metadata.deletionTimestamp === undefined ? undefined : parseTime(metadata.deletionTimestamp);
  if (before === undefined || at < before) metadata.deletionTimestamp = formatTime(at);
  metadata.deletionGracePeriodSeconds = graceSeconds;
  if (isFirst && metadata.generation !== undefined && metadata.generation > 0) metadata.generation++;
}

/** Seconds in milliseconds. Upstream counts nanoseconds in 64 bits, and starts again below zero beyond them. */
export function spanOf(seconds: number): Millis {
  if (Number.isSafeInteger(seconds) && Math.abs(seconds) < longestSpanSeconds) return seconds * 1000;
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);
}

const longestSpanSeconds = 2 ** 63 / 1e9;
