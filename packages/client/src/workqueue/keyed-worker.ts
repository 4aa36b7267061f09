import { type Activity, aborted, type Clock, type Logger, type Metrics } from '@coracle/base';
import type { RateLimiter } from './rate-limiter.js';
import { createWorkQueue, type RateLimitingWorkQueue } from './rate-limiting-work-queue.js';
import { type Reconcile, runWorkers } from './run-workers.js';

/** The queue of a keyed controller, and the observers of its work. */
export interface KeyedWorkerOptions<Key extends string> {
  /** Names the queue in metrics, and the controller in logs. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Held while a key is reconciled. */
  readonly activity?: Activity;
  /** Rate limiter of failing keys; the default one if absent. */
  readonly limiter?: RateLimiter<Key>;
  /** Keys of higher priority are taken first. */
  readonly priorities?: boolean;
}

/** How keys are reconciled. */
export interface KeyedRun<Key> {
  /** No key is taken before this resolves; it rejects if that will never happen. */
  readonly synced: () => Promise<unknown>;
  readonly workers: number;
  readonly reconcile: Reconcile<Key>;
}

/**
 * What all controllers with keys share: a queue that handlers fill, and workers that reconcile one key at a time once
 * the caches are complete. Those of the controller manager and of operators both run on it.
 */
export class KeyedWorker<Key extends string> {
  readonly queue: RateLimitingWorkQueue<Key>;
  readonly #options: KeyedWorkerOptions<Key>;

  constructor(options: KeyedWorkerOptions<Key>) {
    this.#options = options;
    const { name, clock, metrics, limiter, priorities } = options;
    this.queue = createWorkQueue<Key>({
      name,
      clock,
      metrics,
      ...(limiter && { limiter }),
      ...(priorities && { priorities }),
    });
  }

  /** Works until `signal` aborts, then drops the rest of the queue and waits for the running reconciles. */
  async run({ synced, workers, reconcile }: KeyedRun<Key>, signal: AbortSignal): Promise<void> {
    const { logger, activity, name } = this.#options;
    const ended = aborted(signal);
    try {
      await Promise.race([synced(), ended]);
      if (signal.aborted) return;
      await using _working = runWorkers<Key>({
        queue: this.queue,
        workers,
        reconcile,
        logger: logger.with({ controller: name }),
        ...(activity && { activity }),
      });
      await ended;
    } finally {
      await this.queue.shutDown({ discard: true });
    }
  }
}
