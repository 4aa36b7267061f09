import {
  type Activity,
  Backoff,
  type BackoffOptions,
  type Clock,
  type Millis,
  monotonicNow,
  nextTurn,
  sleep,
} from '@coracle/base';
import type { InformerFactory } from './informer.js';

/** The sync function, its triggers, and its retries. */
export interface SyncRunnerOptions {
  /** No sync begins before all that have been requested are complete. */
  readonly informers: Pick<InformerFactory, 'synced'>;
  /**
   * Updates external state from the informers. Never runs concurrently. Returns the delay of the next sync, unless an
   * event triggers it earlier; errors are retried with backoff. `signal` aborts when the runner is disposed, which
   * waits for it.
   */
  readonly sync: (signal: AbortSignal) => Promise<Millis | void>;
  readonly onError: (error: unknown) => void;
  readonly backoff: BackoffOptions;
  /** Minimum interval between the starts of two syncs; none by default. */
  readonly minPeriodMs?: Millis;
  readonly clock: Clock;
  /** Held while a sync runs; not while the next one waits for its time. */
  readonly activity?: Activity;
}

/**
 * For what is computed from many objects as a whole (rules of a packet filter, a routing table): any number of events
 * become one sync, and one more if events come while it runs. State with one key per object uses a work queue instead.
 */
export class SyncRunner implements AsyncDisposable {
  readonly #options: SyncRunnerOptions;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  #pending = true;
  #ready = false;
  #run: Promise<void> | undefined;
  #active: Disposable | undefined;
  #timer: Disposable | undefined;

  /** The first sync starts by itself, once the informers that are requested in this turn have synced. */
  constructor(options: SyncRunnerOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff);
    void Promise.resolve()
      .then(() => this.#informersSynced())
      .then(() => {
        this.#ready = true;
        this.wake();
      });
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** Triggers a sync that begins after this call. */
  wake(): void {
    this.#pending = true;
    if (!this.#ready || this.#stop.signal.aborted || this.#run) return;
    this.#timer?.[Symbol.dispose]();
    this.#active = this.#options.activity?.begin();
    this.#run = this.#syncs();
  }

  /** Resolves when the first sync, or the current one, has ended. */
  async started(): Promise<void> {
    await this.#informersSynced();
    this.#ready = true;
    if (this.#pending) this.wake();
    await this.#run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#timer?.[Symbol.dispose]();
    await this.#run;
  }

  async #syncs(): Promise<void> {
    try {
      await this.#informersSynced();
      while (this.#pending && !this.#stop.signal.aborted) {
        // Pending events are included in the same sync.
        await nextTurn();
        const began = monotonicNow(this.#options.clock);
        this.#pending = false;
        if (!(await this.#trySync())) return;
        await this.#rest(began);
      }
    } finally {
      // In the same step as the last check of `#pending`: a later call of `wake` finds no sync running.
      this.#run = undefined;
      this.#active?.[Symbol.dispose]();
    }
  }

  /** Ends with the runner too: informers without a server, or without the right to read, never sync. */
  #informersSynced(): Promise<void> {
    return orAborted(this.#options.informers.synced(), this.#stop.signal);
  }

  async #trySync(): Promise<boolean> {
    try {
      const againMs = await this.#options.sync(this.#stop.signal);
      this.#backoff.reset();
      this.#wakeAfter(againMs);
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      this.#options.onError(error);
      this.#wakeAfter(this.#backoff.next());
      return false;
    }
  }

  #wakeAfter(delayMs: Millis | void): void {
    this.#timer?.[Symbol.dispose]();
    if (delayMs === undefined || this.#stop.signal.aborted) return;
    this.#timer = this.#options.clock.schedule(delayMs, () => this.wake());
  }

  async #rest(began: Millis): Promise<void> {
    const { clock, activity, minPeriodMs = 0 } = this.#options;
    const restMs = began + minPeriodMs - monotonicNow(clock);
    if (!this.#pending || restMs <= 0) return;
    this.#active?.[Symbol.dispose]();
    await sleep(clock, restMs, this.#stop.signal).catch(() => undefined);
    this.#active = activity?.begin();
  }
}

/** Resolves when `work` has ended or the signal aborts, and then leaves no listener behind. */
function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
