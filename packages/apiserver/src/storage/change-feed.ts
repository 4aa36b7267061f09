import { type Clock, Deferred, type Logger, type Millis } from '@coracle/base';
import type { Revision, Store, StoreEvent, StoreWatch } from '@coracle/store';

/** Is told of the writes below its prefix. */
export interface FeedListener {
  onEvents(events: readonly StoreEvent[], revision: Revision): void;
  /** Events have been missed: read everything again. The feed goes on after `revision`. */
  onGap(): void;
}

export interface ChangeFeedDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

const restartAfterMs: Millis = 1000;

/**
 * One watch on the whole store that feeds all watch caches.
 *
 * Because it sees every write, its revision is that of the store as far as this process knows: a cache is as fresh
 * as the store when the feed has come to the store's revision, whether or not its own resource changed lately.
 */
export class ChangeFeed implements Disposable {
  readonly #deps: ChangeFeedDependencies;
  readonly #root: string;
  readonly #listeners = new Map<string, FeedListener>();
  /** Who waits for a revision to come, in no order: there are few. */
  #waiting: { readonly revision: Revision; readonly done: Deferred<boolean>; readonly timer: Disposable }[] = [];
  #watch: StoreWatch | undefined;
  #revision: Revision = 0;
  #closed = false;
  #restart: Disposable | undefined;

  constructor(root: string, deps: ChangeFeedDependencies) {
    this.#root = root;
    this.#deps = deps;
  }

  /** Everything up to here has been told to the listeners. */
  get revision(): Revision {
    return this.#revision;
  }

  /** False while the watch on the store is broken and has not begun again. */
  get isOpen(): boolean {
    return this.#watch !== undefined;
  }

  /** `prefix` is one or two path segments below the root, with its closing slash. */
  subscribe(prefix: string, listener: FeedListener): Disposable {
    this.#listeners.set(prefix, listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(prefix) };
  }

  async start(): Promise<void> {
    this.#revision = await this.#deps.store.currentRevision();
    this.#open();
  }

  /** False if the feed has not come to `revision` after `timeoutMs`. */
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
    this.#closed = true;
    this.#watch?.[Symbol.dispose]();
    this.#restart?.[Symbol.dispose]();
    for (const { done, timer } of this.#waiting.splice(0)) {
      timer[Symbol.dispose]();
      done.resolve(false);
    }
  }

  #open(): void {
    this.#watch = this.#deps.store.watch(this.#root, this.#revision + 1, {
      onEvents: (events, revision) => this.#onEvents(events, revision),
      onProgress: (revision) => this.#advance(revision),
      onError: (error) => this.#onError(error),
    });
  }

  #onEvents(events: readonly StoreEvent[], revision: Revision): void {
    for (const [listener, own] of this.#route(events)) listener.onEvents(own, revision);
    this.#advance(revision);
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
    if (this.#closed) return;
    this.#deps.logger.error('the watch on the store ended; reading everything again', { error });
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#restart = this.#deps.clock.schedule(restartAfterMs, () => void this.#resume());
  }

  async #resume(): Promise<void> {
    try {
      this.#revision = await this.#deps.store.currentRevision();
      this.#open();
      for (const listener of this.#listeners.values()) listener.onGap();
    } catch (error) {
      this.#onError(error as Error);
    }
  }
}
