import { type Clock, type Millis, monotonicNow } from '@coracle/base';

const firstMs: Millis = 1000;

/** Backoff before a failed pod is replaced: longer each time, reset after a time without failures. */
export class FailedPodBackoff {
  readonly #clock: Clock;
  readonly #maxMs: Millis;
  readonly #entries = new Map<string, { readonly delayMs: Millis; readonly at: Millis }>();

  constructor(clock: Clock, maxMs: Millis) {
    this.#clock = clock;
    this.#maxMs = maxMs;
  }

  /** Remaining milliseconds; 0 means now, and starts the next backoff. */
  next(key: string): Millis {
    const now = monotonicNow(this.#clock);
    const last = this.#entries.get(key);
    if (last && now < last.at + last.delayMs) return last.at + last.delayMs - now;
    const isForgotten = !last || now - last.at > 2 * this.#maxMs;
    this.#entries.set(key, { delayMs: isForgotten ? firstMs : Math.min(this.#maxMs, last.delayMs * 2), at: now });
    return 0;
  }

  /** Removes all entries whose keys begin with the prefix. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
