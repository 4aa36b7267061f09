import type { ObjectKey } from '@coracle/apimachinery';
import { type Clock, type Millis, monotonicNow } from '@coracle/base';

/** Timeout of expectations: an event may have been missed. */
const expireMs: Millis = 5 * 60_000;

interface Expected {
  creations: number;
  /** Uids, so that a deletion that is observed twice counts once. */
  readonly deletions: Set<string>;
  readonly since: Millis;
}

/**
 * Writes of a controller that are not in its cache yet. Until they are, the controller does not act on that key,
 * because it would repeat them.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<ObjectKey, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces earlier expectations. */
  expect(
    key: ObjectKey,
    { creations = 0, deletions = [] }: { readonly creations?: number; readonly deletions?: readonly string[] },
  ): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: monotonicNow(this.#clock) });
  }

  /** Whether everything expected was observed, or has timed out. */
  satisfied(key: ObjectKey): boolean {
    const expected = this.#expected.get(key);
    if (!expected) return true;
    if (expected.creations <= 0 && expected.deletions.size === 0) return true;
    return monotonicNow(this.#clock) - expected.since > expireMs;
  }

  /** An object was created, or its creation failed. */
  creationObserved(key: ObjectKey, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected) expected.creations -= count;
  }

  deletionObserved(key: ObjectKey, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  forget(key: ObjectKey): void {
    this.#expected.delete(key);
  }
}
