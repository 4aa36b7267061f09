import { type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { type Activity, aborted, type Clock, type Logger, type Metrics, type Millis, sleep } from '@coracle/base';
import { KeyedWorker, type RateLimiter, type Reconcile } from '@coracle/client';
import { ControllerMetrics } from './controller-metrics.js';
import { type Reconciler, reconcileFunctionOf } from './reconciler.js';
import type { Runnable, RunnableGroup } from './runnable.js';
import type { Source } from './source.js';

/** Options of a controller. All are optional. */
export interface ControllerSettings {
  /** Maximum number of concurrent reconciles; never two of one request. 1 by default. */
  readonly maxConcurrentReconciles?: number;
  /** Timeout of the sync of caches before the controller fails. Two minutes by default. */
  readonly cacheSyncTimeoutMs?: Millis;
  /** Rate limiter of failing requests. By default exponential from 5 ms to 1000 s, and ten per second in total. */
  readonly limiter?: RateLimiter<ObjectKey>;
  /** Whether it waits to be the leader. True unless stated. */
  readonly needsLeaderElection?: boolean;
}

/** Dependencies of a controller, most of which a manager sets. */
export interface ControllerOptions extends ControllerSettings {
  /** Its name in logs and metrics. */
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly activity?: Activity;
}

/**
 * Takes requests from its sources and reconciles them one by one. Add it to a manager, or start it by itself.
 *
 * The queue is made at the start, so that a controller that never runs holds nothing.
 */
export class Controller implements Runnable {
  readonly name: string;
  readonly group: RunnableGroup;
  readonly #options: ControllerOptions;
  /** Those that wait for the start; none afterwards. */
  #sources: Source[] = [];
  #worker: KeyedWorker<ObjectKey> | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: ControllerOptions) {
    if (options.name === '') throw new Error('must specify Name for Controller');
    this.#options = options;
    this.name = options.name;
    this.group = options.needsLeaderElection === false ? 'others' : 'leaderElection';
  }

  /** Adds a source. One that is added after the start is started at once. */
  watch(source: Source): void {
    if (this.#worker && this.#signal) this.#begin(source);
    else this.#sources.push(source);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#worker)
      throw new Error(
        'controller was started more than once. This is likely to be caused by being added to a manager multiple times',
      );
    const { name, logger, maxConcurrentReconciles: workers = 1 } = this.#options;
    this.#signal = signal;
    this.#worker = new KeyedWorker<ObjectKey>({ ...this.#options, priorities: true });
    const sources = this.#sources;
    this.#sources = [];
    for (const source of sources) this.#begin(source);
    logger.info('Starting Controller', { controller: name });
    const synced = async () => {
      await this.#waitForSync(sources, signal);
      if (!signal.aborted) logger.info('Starting workers', { controller: name, workers });
    };
    await this.#worker.run({ synced, workers, reconcile: this.#reconcile(workers) }, signal);
  }

  #begin(source: Source): void {
    const { logger, name } = this.#options;
    logger.info('Starting EventSource', { controller: name, source: source.name });
    const failed = (error: unknown) =>
      logger.error('A source of events has failed', { controller: name, source: source.name, error });
    if (this.#worker && this.#signal) source.start(this.#worker.queue, this.#signal, failed);
  }

  async #waitForSync(sources: readonly Source[], signal: AbortSignal): Promise<void> {
    const { clock, name, cacheSyncTimeoutMs = 120_000 } = this.#options;
    const timeout = new AbortController();
    const late = sleep(clock, cacheSyncTimeoutMs, timeout.signal).then(() => {
      throw new Error(`failed to wait for ${name} caches to sync: timed out waiting for cache to be synced`);
    });
    const synced = Promise.all(sources.map((source) => source.synced?.()));
    try {
      await Promise.race([synced, aborted(signal), late]);
    } finally {
      timeout.abort();
      await late.catch(() => undefined);
    }
  }

  #reconcile(workers: number): Reconcile<ObjectKey> {
    const { clock, metrics, name, reconciler } = this.#options;
    const logger = this.#options.logger.with({ controller: name });
    const counting = new ControllerMetrics({ metrics, clock, controller: name, workers });
    const reconcile = counting.counted(reconcileFunctionOf(reconciler));
    return (key, { signal }) => reconcile(splitObjectKey(key), { signal, logger: logger.with({ object: key }) });
  }
}
