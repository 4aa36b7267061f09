import type { ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

const firstMs: Millis = 10_000;
const maxMs: Millis = 10 * 60_000;

/** Number of failures since the last success. */
export interface FailureStreak {
  readonly failures: number;
  readonly lastAt: Millis;
}

export const noFailures: FailureStreak = { failures: 0, lastAt: 0 };

/** The streak after pods have ended; a success resets it. */
export function extendStreak(
  streak: FailureStreak,
  { failed, succeeded }: { readonly failed: readonly Millis[]; readonly succeeded: readonly Millis[] },
): FailureStreak {
  const lastSuccess = succeeded.length > 0 ? Math.max(...succeeded) : undefined;
  const since = lastSuccess === undefined ? failed : failed.filter((at) => at > lastSuccess);
  const before = lastSuccess === undefined ? streak : noFailures;
  if (since.length === 0) return before;
  return { failures: before.failures + since.length, lastAt: Math.max(before.lastAt, ...since) };
}

/** Delay before the next pod: 10 seconds after the first failure, doubled for each further one. */
export function remainingBackoff({ failures, lastAt }: FailureStreak, now: Millis): Millis {
  if (failures === 0) return 0;
  return Math.max(0, lastAt + Math.min(maxMs, firstMs * 2 ** (failures - 1)) - now);
}

/** The failures of active jobs. In memory only: a restart resets them. */
export class FailureStreaks {
  readonly #streaks = new Map<ObjectKey, FailureStreak>();

  get(key: ObjectKey): FailureStreak {
    return this.#streaks.get(key) ?? noFailures;
  }

  set(key: ObjectKey, streak: FailureStreak): void {
    if (streak.failures === 0) this.#streaks.delete(key);
    else this.#streaks.set(key, streak);
  }

  forget(key: ObjectKey): void {
    this.#streaks.delete(key);
  }
}
