import type { Random } from '../random.js';
import type { Millis } from './clock.js';

export interface BackoffOptions {
  readonly initialMs: Millis;
  readonly maxMs: Millis;
  /** Factor of the delay. */
  readonly factor?: number;
  /** Up to this share of the delay is added at random, so that many clients do not come back at once. */
  readonly jitter?: number;
}

/** Delays that grow by a factor up to a bound. Without `random` there is no jitter. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Random | undefined;
  #attempts = 0;

  constructor(options: BackoffOptions, random?: Random) {
    this.#options = options;
    this.#random = random;
  }

  next(): Millis {
    const { initialMs, maxMs, factor = 2, jitter = 0 } = this.#options;
    const delay = Math.min(maxMs, initialMs * factor ** this.#attempts);
    // Growth beyond the bound would only overflow.
    if (delay < maxMs) this.#attempts++;
    return delay * (1 + jitter * (this.#random?.next() ?? 0));
  }

  reset(): void {
    this.#attempts = 0;
  }
}
