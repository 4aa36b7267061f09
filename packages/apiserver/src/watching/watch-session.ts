import { asStatusError, expired, initialEventsEnd, type StatusError } from '@coracle/apimachinery';
import { type Clock, Fifo, type MaybePromise, type Millis, monotonicNow, type SharedTicks } from '@coracle/base';
import type { Revision } from '@coracle/store';
import type { StoredObject } from '../storage/stored-object.js';
import type { CacheEvent, ChangeType } from './cache-event.js';
import type { Selection } from './selection.js';
import type { TimeBudget } from './time-budget.js';
import type { WatchCache } from './watch-cache.js';
import type { CacheWatcher } from './watcher-index.js';

/** The destination of the events of a session: a socket, or a consumer in this process. */
export interface EventOutlet {
  /** False if the receiver is behind. A promise if the object has to be converted elsewhere before it is sent. */
  send(type: ChangeType, event: CacheEvent): MaybePromise<boolean>;
  /** Sends objects in batches, each in a separate step. */
  sendInitial(objects: readonly StoredObject[]): Iterable<MaybePromise<boolean>>;
  sendBookmark(revision: Revision, annotations?: Readonly<Record<string, string>>): boolean;
  sendError(error: StatusError): void;
  end(): void;
}

/** The initial events of a watch. */
export type WatchStart =
  /** All objects, as ADDED events; with `marksEnd` a bookmark follows. */
  | { readonly kind: 'objects'; readonly marksEnd: boolean }
  /** Starts at a revision, which may be in the future: until then there are no events. */
  | { readonly kind: 'after'; readonly revision: Revision }
  | { readonly kind: 'now' }
  /** The reason why the watch cannot start; then it ends. */
  | { readonly kind: 'failure'; readonly error: StatusError };

export interface WatchOptions {
  readonly start: WatchStart;
  readonly selection: Selection;
  readonly timeoutMs: Millis;
  readonly bookmarks: boolean;
}

/** The source of objects and events: a cache, or the store for uncached resources. */
export type WatchSource = Pick<
  WatchCache,
  'revision' | 'loading' | 'oldestRevision' | 'list' | 'eventsAfter' | 'watch'
>;

export interface SessionDependencies {
  readonly cache: WatchSource;
  readonly clock: Clock;
  readonly budget: TimeBudget;
  /** Schedules the bookmarks of all sessions. */
  readonly bookmarkTicks: SharedTicks;
  /** Called if the session ends because its receiver is too slow, with the number of waiting events. */
  onTooSlow?(waiting: number): void;
}

/** Interval of the bookmarks of a session. */
export const bookmarkEveryMs: Millis = 60_000;
/** The last bookmark is sent this long before the timeout, so that the client continues from there. */
const bookmarkBeforeEndMs: Millis = 2_000;
/** Number of events that may wait for a slow receiver before its time budget is used. */
const mostWaiting = 100;

/** One watch of one client, from its first event to its end. */
export class WatchSession implements CacheWatcher {
  readonly #options: WatchOptions;
  readonly #deps: SessionDependencies;
  readonly #outlet: EventOutlet;
  /**
   * Sends the initial events of the watch, as fast as the receiver takes them; reports after each step whether it keeps
   * up.
   */
  #opening: Iterator<MaybePromise<boolean>> | undefined;
  readonly #waiting = new Fifo<readonly [ChangeType, CacheEvent]>();
  /** Events at or before this revision are not sent. */
  #revision: Revision = 0;
  #behind = false;
  /** An object is being converted remotely: later events wait for it. */
  #converting = false;
  #ended = false;
  #registration: Disposable | undefined;
  /** Sends the last bookmark and ends the watch. */
  #timer: Disposable | undefined;
  #bookmarks: Disposable | undefined;
  #patience: Disposable | undefined;

  constructor(options: WatchOptions, deps: SessionDependencies, outlet: EventOutlet) {
    this.#options = options;
    this.#deps = deps;
    this.#outlet = outlet;
  }

  /** Sends the initial events, and every change from then on. */
  start(): void {
    const { cache, clock } = this.#deps;
    const { timeoutMs, bookmarks } = this.#options;
    this.#scheduleEnd(timeoutMs, clock);
    if (cache.loading === undefined) this.#startNow(bookmarks);
    else void this.#startAfter(cache.loading);
  }

  /** The cache has missed events, so its state is old. */
  async #startAfter(loading: Promise<void>): Promise<void> {
    await loading;
    if (this.#ended) return;
    const { cache } = this.#deps;
    if (cache.loading === undefined) this.#startNow(this.#options.bookmarks);
    else await this.#startAfter(cache.loading);
  }

  #startNow(bookmarks: boolean): void {
    try {
      this.#begin();
    } catch (error) {
      this.#fail(error);
    }
    if (this.#ended) return;
    this.#registration = this.#deps.cache.watch(this.#options.selection.scope, this);
    if (bookmarks) this.#bookmarks = this.#deps.bookmarkTicks.add(() => this.#sendBookmark());
  }

  /** An event that cannot be sent ends the watch with an error event. */
  #fail(error: unknown): void {
    this.#outlet.sendError(asStatusError(error));
    this.end();
  }

  onEvent(event: CacheEvent): void {
    if (this.#ended || event.revision <= this.#revision) return;
    try {
      this.#take(event);
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(event: CacheEvent): void {
    const type = event.typeFor(this.#options.selection.matches);
    if (type === undefined) return;
    if (this.#behind) this.#wait(type, event);
    else this.#noteProgress(this.#outlet.send(type, event));
  }

  onEnd(error?: StatusError): void {
    if (error && !this.#ended) this.#outlet.sendError(error);
    this.end();
  }

  /** The receiver is ready again. Errors end the watch, because the caller could not handle them. */
  onDrain(): void {
    if (this.#converting || this.#ended) return;
    try {
      this.#sendWaiting();
    } catch (error) {
      this.#fail(error);
    }
  }

  #sendWaiting(): void {
    this.#behind = false;
    this.#goOn();
    while (!this.#behind) {
      const next = this.#waiting.shift();
      if (!next) break;
      this.#noteProgress(this.#outlet.send(...next));
    }
    if (this.#waiting.size < mostWaiting) {
      this.#patience?.[Symbol.dispose]();
      this.#patience = undefined;
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#registration?.[Symbol.dispose]();
    this.#patience?.[Symbol.dispose]();
    this.#bookmarks?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#waiting.clear();
    this.#opening = undefined;
    this.#outlet.end();
  }

  #begin(): void {
    const { start } = this.#options;
    const { cache } = this.#deps;
    if (start.kind === 'failure') throw start.error;
    this.#revision = start.kind === 'after' ? Math.max(start.revision, cache.revision) : cache.revision;
    if (start.kind === 'objects') this.#opening = this.#sendObjects(start.marksEnd);
    if (start.kind === 'after') this.#opening = this.#replay(start.revision);
    this.#goOn();
  }

  /** Events that arrive meanwhile wait, because the initial events are older. */
  #goOn(): void {
    while (this.#opening && !this.#behind) {
      const { value: keepsUp, done } = this.#opening.next();
      if (done) this.#opening = undefined;
      else this.#noteProgress(keepsUp);
    }
  }

  #noteProgress(keepsUp: MaybePromise<boolean>): void {
    if (keepsUp === true) return;
    this.#behind = true;
    if (keepsUp !== false) void this.#awaitConversion(keepsUp);
  }

  async #awaitConversion(conversion: Promise<boolean>): Promise<void> {
    this.#converting = true;
    try {
      const keepsUp = await conversion;
      this.#converting = false;
      if (keepsUp) this.onDrain();
    } catch (error) {
      if (!this.#ended) this.#fail(error);
    }
  }

  #sendObjects(marksEnd: boolean): Iterator<MaybePromise<boolean>> {
    const { query, selectsAll, matches } = this.#options.selection;
    const candidates = this.#deps.cache.list(query);
    return this.#objects(selectsAll ? candidates : candidates.filter(matches), marksEnd);
  }

  *#objects(objects: readonly StoredObject[], marksEnd: boolean): Generator<MaybePromise<boolean>, void> {
    yield* this.#outlet.sendInitial(objects);
    if (marksEnd) yield this.#outlet.sendBookmark(this.#revision, { [initialEventsEnd]: 'true' });
  }

  #replay(after: Revision): Iterator<MaybePromise<boolean>> {
    const { cache } = this.#deps;
    const events = cache.eventsAfter(after);
    if (!events) throw expired(`too old resource version: ${after} (${cache.oldestRevision})`);
    return this.#events(events);
  }

  *#events(events: Iterable<CacheEvent>): Generator<MaybePromise<boolean>, void> {
    for (const event of events) {
      const type = event.typeFor(this.#options.selection.matches);
      if (type !== undefined) yield this.#outlet.send(type, event);
    }
  }

  #wait(type: ChangeType, event: CacheEvent): void {
    this.#waiting.push([type, event]);
    if (this.#waiting.size < mostWaiting || this.#patience) return;
    const { budget, clock } = this.#deps;
    const patienceMs = budget.take();
    const startedAt = monotonicNow(clock);
    const timer = clock.schedule(patienceMs, () => this.#giveUp());
    this.#patience = {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        budget.giveBack(patienceMs - (monotonicNow(clock) - startedAt));
      },
    };
  }

  #giveUp(): void {
    this.#deps.onTooSlow?.(this.#waiting.size);
    this.end();
  }

  /** Sends no bookmark at or before the revision at which the client started. */
  #sendBookmark(): void {
    const { revision } = this.#deps.cache;
    const { start } = this.#options;
    if (this.#behind || (start.kind === 'after' && revision <= start.revision)) return;
    this.#outlet.sendBookmark(revision);
  }

  #scheduleEnd(timeoutMs: Millis, clock: Clock): void {
    const end = () => this.end();
    const marksEnd = this.#options.bookmarks && timeoutMs > bookmarkBeforeEndMs;
    this.#timer = marksEnd
      ? clock.schedule(timeoutMs - bookmarkBeforeEndMs, () => {
          // A session that has not started has nothing to send.
          if (this.#bookmarks) this.#sendBookmark();
          this.#timer = clock.schedule(bookmarkBeforeEndMs, end);
        })
      : clock.schedule(timeoutMs, end);
  }
}
