import {
  type Activity,
  Backoff,
  type Clock,
  Deferred,
  disposable,
  type Logger,
  type Millis,
  messageOf,
} from '@coracle/base';
import { type Revision, type Store, StoreError, type StoreEvent, type StoreWatch } from '@coracle/store';

/** Receives the writes below its prefix. */
export interface FeedListener {
  onEvents(events: readonly StoreEvent[], revision: Revision): void;
  /** Events have been missed: list again. Called before the feed advances to a later revision. */
  onGap(): void;
}

export interface ChangeFeedDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity?: Activity | undefined;
}

const restartDelay = { initialMs: 1000, maxMs: 30_000 };

/**
 * One watch on the whole store that feeds all watch caches.
 *
 * Because it sees every write, its revision is that of the store as far as this process knows: a cache is as fresh
 * as the store when the feed has reached the store's revision, whether or not its own resource changed lately.
 *
 * A watch that ends is restarted after the last revision that was delivered, so that nothing is missed. Only when the
 * store no longer has that revision is there a gap, and the listeners have to list again.
 */
export class ChangeFeed implements Disposable {
  readonly #deps: ChangeFeedDependencies;
  readonly #root: string;
  readonly #listeners = new Map<string, FeedListener>();
  /** Requests that wait for a revision, unordered because there are few. */
  #waiting: { readonly revision: Revision; readonly done: Deferred<boolean>; readonly timer: Disposable }[] = [];
  #watch: StoreWatch | undefined;
  #revision: Revision = 0;
  readonly #ended = new AbortController();
  readonly #backoff = new Backoff(restartDelay);
  #restart: Disposable | undefined;

  constructor(root: string, deps: ChangeFeedDependencies) {
    this.#root = root;
    this.#deps = deps;
  }

  /** Everything up to this revision has been delivered to the listeners. */
  get revision(): Revision {
    return this.#revision;
  }

  /** False while the watch on the store is broken and has not been restarted. */
  get isOpen(): boolean {
    return this.#watch !== undefined;
  }

  /** Aborted when the feed is disposed. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** `prefix` is one or two path segments below the root, with its closing slash. */
  subscribe(prefix: string, listener: FeedListener): Disposable {
    this.#listeners.set(prefix, listener);
    return {
      [Symbol.dispose]: () => {
        // A new listener may have replaced it.
        if (this.#listeners.get(prefix) === listener) this.#listeners.delete(prefix);
      },
    };
  }

  async start(): Promise<void> {
    this.#revision = await this.#deps.store.currentRevision();
    this.#open();
  }

  /** False if the feed has not reached `revision` after `timeoutMs`. */
  waitFor(revision: Revision, timeoutMs: Millis): Promise<boolean> {
    if (this.#revision >= revision) return Promise.resolve(true);
    const done = new Deferred<boolean>();
    const timer = this.#deps.clock.schedule(timeoutMs, () => {
      this.#waiting = this.#waiting.filter((waiter) => waiter.done !== done);
      done.resolve(false);
    });
    this.#waiting.push({ revision, done, timer });
    this.#watch?.requestProgress();
    return done.promise;
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#restart?.[Symbol.dispose]();
    for (const { done, timer } of this.#waiting.splice(0)) {
      timer[Symbol.dispose]();
      done.resolve(false);
    }
  }

  #open(): void {
    let isOver = false;
    const current = (call: () => void): void => {
      if (!isOver && !this.signal.aborted) call();
    };
    this.#watch = this.#deps.store.watch(this.#root, this.#revision + 1, {
      onEvents: (events, revision) => current(() => this.#onEvents(events, revision)),
      onProgress: (revision) => current(() => this.#advance(revision)),
      onError: (error) =>
        current(() => {
          isOver = true;
          this.#onError(error);
        }),
    });
  }

  #onEvents(events: readonly StoreEvent[], revision: Revision): void {
    if (revision <= this.#revision) return;
    this.#backoff.reset();
    for (const [listener, own] of this.#route(events)) this.#tell(listener, own, revision);
    this.#advance(revision);
  }

  /** A listener that throws has missed an event; the others have not. */
  #tell(listener: FeedListener, events: readonly StoreEvent[], revision: Revision): void {
    try {
      listener.onEvents(events, revision);
    } catch (error) {
      this.#deps.logger.error('failed to apply a change to a watch cache; listing again', { error });
      listener.onGap();
    }
  }

  #route(events: readonly StoreEvent[]): Iterable<readonly [FeedListener, readonly StoreEvent[]]> {
    const [first] = events;
    if (events.length === 1 && first) {
      const listener = this.#listenerOf(first.keyValue.key);
      return listener ? [[listener, events]] : [];
    }
    const routes = new Map<FeedListener, StoreEvent[]>();
    for (const event of events) {
      const listener = this.#listenerOf(event.keyValue.key);
      if (!listener) continue;
      const own = routes.get(listener);
      if (own) own.push(event);
      else routes.set(listener, [event]);
    }
    return routes;
  }

  #listenerOf(key: string): FeedListener | undefined {
    const one = key.indexOf('/', this.#root.length) + 1;
    if (one === 0) return undefined;
    const listener = this.#listeners.get(key.slice(0, one));
    if (listener) return listener;
    const two = key.indexOf('/', one) + 1;
    return two === 0 ? undefined : this.#listeners.get(key.slice(0, two));
  }

  #advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((waiter) => waiter.revision <= this.#revision);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter.revision > this.#revision);
    for (const { done, timer } of due) {
      timer[Symbol.dispose]();
      done.resolve(true);
    }
  }

  #onError(error: Error): void {
    if (this.signal.aborted) return;
    const delayMs = this.#backoff.next();
    this.#deps.logger.error('store watch ended; restarting it', { error, delayMs });
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    const waiting = this.#deps.activity?.awaitTime();
    const timer = this.#deps.clock.schedule(delayMs, () => {
      waiting?.[Symbol.dispose]();
      void this.#resume(StoreError.is(error, 'Compacted'));
    });
    this.#restart = disposable(() => {
      timer[Symbol.dispose]();
      waiting?.[Symbol.dispose]();
    });
  }

  async #resume(hasGap: boolean): Promise<void> {
    try {
      if (hasGap) await this.#skip();
      if (!this.signal.aborted) this.#open();
    } catch (error) {
      // The gap remains, whatever failed.
      this.#onError(hasGap ? asCompacted(error) : (error as Error));
    }
  }

  /**
   * Continues at the store's current revision. Listeners are notified first: a reader that sees the new revision sees
   * the gap.
   */
  async #skip(): Promise<void> {
    const revision = await this.#deps.store.currentRevision();
    if (this.signal.aborted) return;
    for (const listener of this.#listeners.values()) listener.onGap();
    this.#advance(revision);
  }
}

function asCompacted(cause: unknown): StoreError {
  return StoreError.is(cause, 'Compacted') ? cause : new StoreError('Compacted', messageOf(cause), { cause });
}
