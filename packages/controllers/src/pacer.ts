import { type Clock, type Millis, monotonicNow } from '@coracle/base';

export interface PacerOptions {
  /** Burst: number of calls without delay. */
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * Rate-limits work that many small changes would trigger: a rollout of thousands of pods must not write an endpoint
 * slice thousands of times. Few changes pass without delay.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #options: PacerOptions;
  /** When the whole burst of each key is available again. */
  readonly #fullAt = new Map<string, Millis>();

  constructor(clock: Clock, options: PacerOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Zero if the work may be done now, which counts it; otherwise the delay until the next call. */
  waitFor(key: string): Millis {
    const { burst, perSecond } = this.#options;
    const now = monotonicNow(this.#clock);
    const stepMs = 1000 / perSecond;
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0) + stepMs;
    const wait = fullAt - now - burst * stepMs;
    if (wait > 0) return Math.ceil(wait);
    this.#fullAt.set(key, fullAt);
    return 0;
  }

  /** There was no work: the call does not count. */
  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - 1000 / this.#options.perSecond);
  }

  forget(key: string): void {
    this.#fullAt.delete(key);
  }
}
