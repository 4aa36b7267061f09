import type { Clock, Millis } from '@coracle/base';

const initialMs: Millis = 10_000;
const maxMs: Millis = 300_000;

interface Entry {
  delayMs: Millis;
  /** When the delay was last raised. */
  since: Millis;
  /** What went wrong last. */
  error: string | undefined;
}

/**
 * How long something that keeps failing waits before it is tried again: ten seconds, doubled each time, five minutes
 * at most. What has not failed for ten minutes begins again.
 */
export class RestartBackoff {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long it is until `key`, which failed at `failedAt`, may be tried again; 0 for now. */
  waitMs(key: string, failedAt: Millis): Millis {
    const entry = this.#entries.get(key);
    if (!entry || failedAt - entry.since > 2 * maxMs) return 0;
    return Math.max(0, failedAt + entry.delayMs - this.#clock.now());
  }

  /** The delay that is in force for `key`. */
  delayMs(key: string): Millis {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** `key` is tried again after a failure at `failedAt`: the next time it waits longer. */
  next(key: string, failedAt: Millis): void {
    const entry = this.#entries.get(key);
    const fresh = !entry || failedAt - entry.since > 2 * maxMs;
    const delayMs = fresh ? initialMs : Math.min(maxMs, entry.delayMs * 2);
    this.#entries.set(key, { delayMs, since: this.#clock.now(), error: entry?.error });
  }

  /** `key` failed just now. */
  failed(key: string, error: string): void {
    this.next(key, this.#clock.now());
    const entry = this.#entries.get(key);
    if (entry) entry.error = error;
  }

  lastFailure(key: string): Millis {
    return this.#entries.get(key)?.since ?? 0;
  }

  lastError(key: string): string | undefined {
    return this.#entries.get(key)?.error;
  }

  /** Forgets everything about keys that begin with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
