import type { ObjectKey } from '@coracle/apimachinery';
import type { Activity, Clock, Logger, Metrics, Millis, Random } from '@coracle/base';
import {
  type Client,
  createWorkQueue,
  type EventRecorder,
  type InformerFactory,
  type Reconcile,
  runWorkers,
} from '@coracle/client';
import type { ResourceCatalog } from './resource-catalog.js';

/** What a controller is given. */
export interface ControllerContext {
  /** Acts as the controller's own service account, so that it may do what its role allows and no more. */
  readonly client: Client;
  /** Shared by all controllers: one watch a resource. */
  readonly informers: InformerFactory;
  /** What the server serves, also shared. */
  readonly catalog: ResourceCatalog;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly activity: Activity;
}

/** A loop that brings what is in line with what is wanted. */
export interface Controller {
  /** As `--controllers` and its service account have it: `replicaset-controller`. */
  readonly name: string;
  /** Registers its handlers and begins to work once the informers have synced. */
  start(context: ControllerContext): AsyncDisposable;
}

/** Keys that wait for a controller. */
export interface KeyQueue {
  add(key: ObjectKey): void;
  addAfter(key: ObjectKey, delayMs: Millis): void;
}

export interface KeyedOptions {
  readonly name: string;
  readonly workers?: number;
  /** Registers handlers that put keys into the queue; what it returns is disposed at the end. */
  watch(queue: KeyQueue): readonly Disposable[];
  readonly reconcile: Reconcile<ObjectKey>;
}

/** The skeleton that controllers share: events → keys → one reconciliation a key at a time. */
export function runKeyed(context: ControllerContext, options: KeyedOptions): AsyncDisposable {
  const { clock, metrics, activity, logger, informers } = context;
  const queue = createWorkQueue<ObjectKey>({ clock, metrics, name: options.name });
  const handlers = options.watch(queue);
  let workers: AsyncDisposable | undefined;
  let stopped = false;
  const starting = informers.synced().then(() => {
    if (stopped) return;
    const { reconcile, workers: count = 5 } = options;
    workers = runWorkers({
      queue,
      reconcile,
      workers: count,
      activity,
      logger: logger.with({ controller: options.name }),
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const handler of handlers) handler[Symbol.dispose]();
      await workers?.[Symbol.asyncDispose]();
      void starting;
    },
  };
}
