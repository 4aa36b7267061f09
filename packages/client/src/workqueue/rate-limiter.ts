import { type Clock, type Millis, monotonicNow, type Random } from '@coracle/base';

/** Computes the delay of retries. */
export interface RateLimiter<Key> {
  /** The delay before this retry, which is counted. */
  when(key: Key): Millis;
  /** Resets the key: it succeeded, or will not be retried. */
  forget(key: Key): void;
  /** Number of retries of the key since it was last reset. */
  retries(key: Key): number;
}

/** Exponential backoff per key, up to a maximum. */
export class ExponentialRateLimiter<Key> implements RateLimiter<Key> {
  readonly #failures = new Map<Key, number>();
  readonly #baseMs: Millis;
  readonly #maxMs: Millis;

  constructor({ baseMs, maxMs }: { readonly baseMs: Millis; readonly maxMs: Millis }) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(key: Key): Millis {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(this.#baseMs * 2 ** failures, this.#maxMs);
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  retries(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** Some fast tries, then slow ones. */
export class FastSlowRateLimiter<Key> implements RateLimiter<Key> {
  readonly #failures = new Map<Key, number>();
  readonly #options: { readonly fastMs: Millis; readonly slowMs: Millis; readonly fastTries: number };

  constructor(options: { readonly fastMs: Millis; readonly slowMs: Millis; readonly fastTries: number }) {
    this.#options = options;
  }

  when(key: Key): Millis {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return failures <= this.#options.fastTries ? this.#options.fastMs : this.#options.slowMs;
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  retries(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** A token bucket for all keys: a retry takes a token, or reserves a future one. */
export class BucketRateLimiter implements RateLimiter<unknown> {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  /** Negative if tokens are reserved. */
  #tokens: number;
  #filledAt: Millis;

  constructor(options: { readonly clock: Clock; readonly perSecond: number; readonly burst: number }) {
    this.#clock = options.clock;
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#filledAt = monotonicNow(options.clock);
  }

  when(): Millis {
    this.#fill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / this.#perSecond;
  }

  /** Takes a token if one is available. Reserves none. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  forget(): void {}

  retries(): number {
    return 0;
  }

  #fill(): void {
    const now = monotonicNow(this.#clock);
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) * this.#perSecond) / 1000);
    this.#filledAt = now;
  }
}

/** Calls every limiter, so that each counts the retry, and returns the longest delay. */
export class MaxOfRateLimiter<Key> implements RateLimiter<Key> {
  readonly #limiters: readonly RateLimiter<Key>[];

  constructor(limiters: readonly RateLimiter<Key>[]) {
    this.#limiters = limiters;
  }

  when(key: Key): Millis {
    let longest = 0;
    for (const limiter of this.#limiters) longest = Math.max(longest, limiter.when(key));
    return longest;
  }

  forget(key: Key): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  retries(key: Key): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.retries(key)));
  }
}

/** The limiter, but never longer than `maxMs`. */
export function withMaxWait<Key>(limiter: RateLimiter<Key>, maxMs: Millis): RateLimiter<Key> {
  return mapped(limiter, (delay) => Math.min(delay, maxMs));
}

/**
 * The limiter with jitter of up to `share` of each delay, so that keys that failed together are not retried together.
 */
export function withJitter<Key>(
  limiter: RateLimiter<Key>,
  { share, random }: { readonly share: number; readonly random: Random },
): RateLimiter<Key> {
  return mapped(limiter, (delay) => delay * (1 + share * random.next()));
}

/** What controllers use: 5 ms to 1000 s for each key, and 10 a second with bursts of 100 for all. */
export function defaultRateLimiter<Key>(clock: Clock): RateLimiter<Key> {
  return new MaxOfRateLimiter<Key>([
    new ExponentialRateLimiter({ baseMs: 5, maxMs: 1_000_000 }),
    new BucketRateLimiter({ clock, perSecond: 10, burst: 100 }),
  ]);
}

function mapped<Key>(limiter: RateLimiter<Key>, change: (delay: Millis) => Millis): RateLimiter<Key> {
  return {
    when: (key) => change(limiter.when(key)),
    forget: (key) => limiter.forget(key),
    retries: (key) => limiter.retries(key),
  };
}
