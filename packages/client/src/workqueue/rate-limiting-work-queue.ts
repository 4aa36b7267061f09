import type { ObjectKey } from '@coracle/apimachinery';
import type { Clock, Metrics, Millis } from '@coracle/base';
import { DelayingWorkQueue } from './delaying-work-queue.js';
import { PriorityWorkQueue } from './priority-work-queue.js';
import { QueueMetrics } from './queue-metrics.js';
import { type QueueObserver, unobserved } from './queue-observer.js';
import { defaultRateLimiter, type RateLimiter } from './rate-limiter.js';
import { FifoWorkQueue, type ShutDownOptions, type WorkQueue } from './work-queue.js';

/** Options of a work queue; only a clock is required. */
export interface WorkQueueOptions<Key extends string> {
  readonly clock: Clock;
  readonly limiter?: RateLimiter<Key>;
  /** Ordered by priority instead of by age alone. */
  readonly priorities?: boolean;
  /** Metrics have the label `name`, and are collected only if both are given. */
  readonly metrics?: Metrics;
  readonly name?: string;
}

/** The queue of a controller: fair, with delays, and with retries that slow down. */
export function createWorkQueue<Key extends string = ObjectKey>(
  options: WorkQueueOptions<Key>,
): RateLimitingWorkQueue<Key> {
  const { clock, limiter = defaultRateLimiter<Key>(clock), metrics, name } = options;
  const observer = metrics && name ? new QueueMetrics<Key>({ metrics, clock, name }) : undefined;
  const inner = observer ? { observer } : {};
  const queue = options.priorities ? new PriorityWorkQueue<Key>(inner) : new FifoWorkQueue<Key>(inner);
  return new RateLimitingWorkQueue({ queue, clock, limiter, ...inner });
}

/** A work queue whose keys can be put back with a delay that grows with every failure. */
export class RateLimitingWorkQueue<Key extends string> implements WorkQueue<Key> {
  readonly #queue: WorkQueue<Key>;
  readonly #delaying: DelayingWorkQueue<Key>;
  readonly #limiter: RateLimiter<Key>;
  readonly #observer: QueueObserver<Key>;

  constructor(deps: {
    readonly queue: WorkQueue<Key>;
    readonly clock: Clock;
    readonly limiter: RateLimiter<Key>;
    readonly observer?: QueueObserver<Key>;
  }) {
    this.#queue = deps.queue;
    this.#delaying = new DelayingWorkQueue(deps);
    this.#limiter = deps.limiter;
    this.#observer = deps.observer ?? unobserved;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#delaying.size;
  }

  add(key: Key, priority?: number): void {
    this.#queue.add(key, priority);
  }

  addAfter(key: Key, delayMs: Millis, priority?: number): void {
    this.#observer.retried(key);
    this.#delaying.addAfter(key, delayMs, priority);
  }

  /** Adds the key when its rate limiter allows the next retry. Its history grows until `forget`. */
  addRateLimited(key: Key, priority?: number): void {
    this.addAfter(key, this.#limiter.when(key), priority);
  }

  /** Resets the failures of the key. `done` must still be called. */
  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  retries(key: Key): number {
    return this.#limiter.retries(key);
  }

  take(): Promise<Key | undefined> {
    return this.#queue.take();
  }

  done(key: Key): void {
    this.#queue.done(key);
  }

  /** Delayed keys are dropped. */
  shutDown(options?: ShutDownOptions): Promise<void> {
    this.#delaying[Symbol.dispose]();
    return this.#queue.shutDown(options);
  }
}
