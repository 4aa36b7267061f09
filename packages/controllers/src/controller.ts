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

/** What a controller is given. */
export interface ControllerContext {
  /** Acts as the controller's own service account, so that it may do what its role allows and no more. */
  readonly client: Client;
  /** Shared by all controllers: one watch a resource. `synced` waits for those that this controller uses. */
  readonly informers: InformerFactory;
  /** What the server serves, also shared. */
  readonly catalog: ResourceCatalog;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** How many keys are processed at once, if configured. */
  readonly workers?: number | undefined;
}

/** A loop that brings what is in line with what is wanted. */
export interface Controller {
  /** As `--controllers` has it: `garbage-collector-controller`. */
  readonly name: string;
  /** The service account of kube-system that it acts as, if that is called otherwise. */
  readonly account?: string;
  /** It runs only if `--controllers` names it. */
  readonly isOffByDefault?: boolean;
  /** The source of its events, if it differs from the name. */
  readonly component?: string;
  /** Registers its handlers and begins to work once the informers have synced. */
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
  /** How keys that failed are tried again, if not as usual. */
  readonly limiter?: RateLimiter<ObjectKey>;
  /** What its keys are keys of, if each sync is a step of a trace. */
  readonly resource?: string;
  /** Registers handlers that put keys into the queue; what it returns is disposed at the end. */
  watch(queue: KeyQueue): readonly Disposable[];
  readonly reconcile: Reconcile<ObjectKey>;
}

/**
 * The skeleton that controllers share: events → keys → one reconciliation a key at a time.
 *
 * Before a key is worked on, pending events are processed: a replica set whose thousand pods become
 * ready is looked at some times, not a thousand times.
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

/** However busy a key is, it does not wait longer than this. */
const mostTurns = 64;

/** Coalesces the events of a key: they have ended for now when a turn of the event loop brings none. */
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
