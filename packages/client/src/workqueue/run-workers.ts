import type { Activity, Logger, Millis } from '@coracle/base';
import type { RateLimitingWorkQueue } from './rate-limiting-work-queue.js';

/** The result of a reconciler: whether to reconcile the key again later. */
export interface ReconcileResult {
  readonly requeueAfterMs?: Millis;
  /** Again with backoff, as after a failure. */
  readonly requeue?: boolean;
}

/** Reconciles the object of `key`. Errors are retried with backoff. */
export type Reconcile<Key> = (
  key: Key,
  context: { readonly signal: AbortSignal },
) => Promise<ReconcileResult | void> | ReconcileResult | void;

/** Thrown by a reconciler if retries cannot help. */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
}

/** The queue, the reconciler, and the number of workers. */
export interface WorkersOptions<Key extends string> {
  readonly queue: RateLimitingWorkQueue<Key>;
  readonly reconcile: Reconcile<Key>;
  /** Number of workers; a key is never reconciled concurrently. */
  readonly workers?: number;
  /** Held while a key is reconciled. */
  readonly activity?: Activity;
  readonly logger?: Logger;
}

/**
 * Takes keys and reconciles them until disposed: keys in the queue are then dropped, and running reconciles get an
 * aborted signal and are awaited.
 */
export function runWorkers<Key extends string>(options: WorkersOptions<Key>): AsyncDisposable {
  const aborter = new AbortController();
  const loops = Array.from({ length: options.workers ?? 1 }, () => work(options, aborter.signal));
  return {
    async [Symbol.asyncDispose]() {
      aborter.abort();
      await options.queue.shutDown({ discard: true });
      await Promise.all(loops);
    },
  };
}

async function work<Key extends string>(options: WorkersOptions<Key>, signal: AbortSignal): Promise<void> {
  const { queue, activity } = options;
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const busy = activity?.begin();
    try {
      await reconcileOnce(options, key, signal);
    } finally {
      queue.done(key);
      busy?.[Symbol.dispose]();
    }
  }
}

async function reconcileOnce<Key extends string>(
  { queue, reconcile, logger }: WorkersOptions<Key>,
  key: Key,
  signal: AbortSignal,
): Promise<void> {
  try {
    const result = await reconcile(key, { signal });
    if (result?.requeue && !result.requeueAfterMs) {
      queue.addRateLimited(key);
      return;
    }
    queue.forget(key);
    if (result?.requeueAfterMs) queue.addAfter(key, result.requeueAfterMs);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof TerminalError) queue.forget(key);
    else queue.addRateLimited(key);
    logger?.error('Reconciling failed', { key, error });
  }
}
