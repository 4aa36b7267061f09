import { type Clock, Fifo } from '@coracle/base';
import { BucketRateLimiter } from '@coracle/client';
import type { KubeletSettings } from '../settings.js';

type PullLimits = Pick<KubeletSettings, 'maxParallelImagePulls' | 'registryPullQPS' | 'registryBurst'>;

/**
 * Limits pulls: a maximum number runs in parallel, and others wait in a queue; if starting a pull exceeds the rate
 * limit, it fails.
 */
export class PullQueue {
  readonly #waiting = new Fifo<() => void>();
  readonly #rate: BucketRateLimiter | undefined;
  #free: number;

  constructor(clock: Clock, { maxParallelImagePulls, registryPullQPS: perSecond, registryBurst: burst }: PullLimits) {
    this.#free = maxParallelImagePulls;
    this.#rate = perSecond > 0 ? new BucketRateLimiter({ clock, perSecond, burst }) : undefined;
  }

  async run<T>(pull: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#rate?.take() === false) throw new Error('pull QPS exceeded');
      return await pull();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
