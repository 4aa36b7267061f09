import { isConflict, type ObjectKey } from '@coracle/apimachinery';
import {
  type Activity,
  type Clock,
  type Logger,
  type Metrics,
  type Millis,
  nextTurn,
  type Random,
  type Tracer,
} from '@coracle/base';
import {
  type Client,
  type EventRecorder,
  type InformerFactory,
  KeyedWorker,
  type RateLimiter,
  type Reconcile,
} from '@coracle/client';
import type { ResourceCatalog } from './resource-catalog.js';

/** Dependencies of a controller. */
export interface ControllerContext {
  /** Acts as the controller's own service account, with the permissions of its role only. */
  readonly client: Client;
  /** Shared by all controllers: one watch a resource. `synced` waits for those that this controller uses. */
  readonly informers: InformerFactory;
  /** The resources that the server serves, also shared. */
  readonly catalog: ResourceCatalog;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** Number of concurrent syncs, if configured. */
  readonly workers?: number | undefined;
}

/** A control loop that moves the actual state towards the desired state. */
export interface Controller {
  /** The name in `--controllers`: `garbage-collector-controller`. */
  readonly name: string;
  /** Its service account in kube-system, if it differs from the name. */
  readonly account?: string;
  /** Whether it runs only if `--controllers` names it. */
  readonly isOffByDefault?: boolean;
  /** The source of its events, if it differs from the name. */
  readonly component?: string;
  /** Registers its handlers, and starts to work once the informers have synced. */
  start(context: ControllerContext): RunningController;
}

export interface RunningController extends AsyncDisposable {
  /** The response of its debug endpoint; `undefined` if there is none. */
  debug?(path: string, query: URLSearchParams): DebugPage | undefined;
}

export interface DebugPage {
  readonly contentType: string;
  readonly text: string;
}

/** Keys that wait for a controller. */
export interface KeyQueue {
  add(key: ObjectKey): void;
  addAfter(key: ObjectKey, delayMs: Millis): void;
}

export interface KeyedOptions {
  readonly name: string;
  readonly workers?: number;
  /** The rate limiter of failed keys, if it is not the default. */
  readonly limiter?: RateLimiter<ObjectKey>;
  /** The resource of its keys, if each sync is a step of a trace. */
  readonly resource?: string;
  /** Registers handlers that add keys to the queue; the result is disposed at the end. */
  watch(queue: KeyQueue): readonly Disposable[];
  readonly reconcile: Reconcile<ObjectKey>;
}

/**
 * The skeleton that controllers share: events → keys → one reconciliation a key at a time.
 *
 * Before a key is worked on, pending events are processed: a replica set whose thousand pods become ready is synced a
 * few times, not a thousand times.
 */
export function runKeyed(context: ControllerContext, options: KeyedOptions): AsyncDisposable {
  const { informers, tracer } = context;
  const { name, limiter, resource } = options;
  const worker = new KeyedWorker<ObjectKey>({ ...context, name, ...(limiter && { limiter }) });
  const coalesced = new CoalescedKeys();
  const handlers = options.watch({
    add: (key) => {
      coalesced.touch(key);
      worker.queue.add(key);
    },
    addAfter: (key, delayMs) => worker.queue.addAfter(key, delayMs),
  });
  const reconcile: Reconcile<ObjectKey> = async (key, signal) => {
    await coalesced.settled(key);
    if (resource !== undefined && tracer.follows(resource))
      tracer.step('controller.sync', `${resource}/${key}`, { controller: name });
    return orAgain(() => options.reconcile(key, signal));
  };
  const stop = new AbortController();
  const workers = context.workers ?? options.workers ?? 5;
  // Informers that are created in this turn count too.
  const synced = () => Promise.resolve().then(() => informers.synced());
  const running = worker.run({ synced, workers, reconcile }, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      for (const handler of handlers) handler[Symbol.dispose]();
      stop.abort();
      await running;
    },
  };
}

/** A conflict is no failure: the key is synced again with the newer object. */
async function orAgain(
  reconcile: () => ReturnType<Reconcile<ObjectKey>>,
): Promise<Awaited<ReturnType<Reconcile<ObjectKey>>>> {
  try {
    return await reconcile();
  } catch (error) {
    if (!isConflict(error)) throw error;
    return { requeue: true };
  }
}

/** Maximum number of turns for which a busy key waits. */
const mostTurns = 64;

/** Coalesces the events of a key: waits until a turn of the event loop brings no further event. */
class CoalescedKeys {
  /** Events since a key was last worked on. */
  readonly #events = new Map<ObjectKey, number>();

  touch(key: ObjectKey): void {
    this.#events.set(key, (this.#events.get(key) ?? 0) + 1);
  }

  async settled(key: ObjectKey): Promise<void> {
    for (let turns = 0; turns < mostTurns; turns++) {
      const before = this.#events.get(key);
      await nextTurn();
      if (this.#events.get(key) === before) break;
    }
    this.#events.delete(key);
  }
}
