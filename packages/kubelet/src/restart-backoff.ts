import { type Clock, type Millis, monotonicNow } from '@coracle/base';

const usualInitialMs: Millis = 10_000;
const usualMaxMs: Millis = 300_000;
/** Time without failures after which the back-off is reset. */
const forgivenMs: Millis = 600_000;

/** Instants are on the monotonic clock. */
interface Entry {
  delayMs: Millis;
  /** When the delay was last increased. */
  since: Millis;
  /** The latest failure: its time as the runtime states it, and its instant. */
  failure: { readonly failedAt: Millis; readonly at: Millis } | undefined;
  /** The last error. */
  error: string | undefined;
}

/**
 * Back-off of restarts: ten seconds, doubled each time, up to five minutes or a configured maximum. It is reset after
 * ten minutes without a failure.
 */
export class RestartBackoff {
  readonly #clock: Clock;
  readonly #initialMs: Millis;
  readonly #maxMs: Millis;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, maxMs: Millis = usualMaxMs) {
    this.#clock = clock;
    this.#maxMs = maxMs;
    this.#initialMs = Math.min(usualInitialMs, maxMs);
  }

  /** How long it is until `key`, which failed at `failedAt` or else when `failed` was called, may be tried again; 0 for now. */
  waitMs(key: string, failedAt?: Millis): Millis {
    const entry = this.#entries.get(key);
    if (!entry) return 0;
    const at = failedAt === undefined ? entry.since : this.#instantOf(entry, failedAt);
    if (at - entry.since > forgivenMs) return 0;
    return Math.max(0, at + entry.delayMs - monotonicNow(this.#clock));
  }

  /** The current delay of `key`. */
  delayMs(key: string): Millis {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** Records a retry of `key` after a failure at `failedAt`: the next delay is longer. */
  next(key: string, failedAt: Millis): void {
    const entry = this.#entries.get(key);
    const fresh = !entry || this.#instantOf(entry, failedAt) - entry.since > forgivenMs;
    const delayMs = fresh ? this.#initialMs : Math.min(this.#maxMs, entry.delayMs * 2);
    this.#entries.set(key, { delayMs, since: monotonicNow(this.#clock), failure: undefined, error: entry?.error });
  }

  /** Records a failure of `key`. */
  failed(key: string, error: string): void {
    this.next(key, this.#clock.now());
    const entry = this.#entries.get(key);
    if (entry) entry.error = error;
  }

  lastError(key: string): string | undefined {
    return this.#entries.get(key)?.error;
  }

  /** How long ago a failure was is computed once, as the clock may be set after it. */
  #instantOf(entry: Entry, failedAt: Millis): Millis {
    if (entry.failure?.failedAt !== failedAt) {
      const ageMs = Math.max(0, this.#clock.now() - failedAt);
      entry.failure = { failedAt, at: monotonicNow(this.#clock) - ageMs };
    }
    return entry.failure.at;
  }

  /** Removes all keys that begin with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
