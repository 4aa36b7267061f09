import type { KubeObject } from '@coracle/apimachinery';
import { type Activity, Backoff, type Clock, type Logger, type Millis, silentLogger, sleep } from '@coracle/base';
import type { Revision, Store, StoreEvent } from '@coracle/store';
import type { ObjectFormat } from '../storage/object-format.js';
import { StoredObject } from '../storage/stored-object.js';
import { CacheEvent } from './cache-event.js';
import type { ChangeFeed, FeedListener } from './change-feed.js';
import { EventWindow } from './event-window.js';
import { KeyIndex } from './key-index.js';
import { MeanSize } from './mean-size.js';
import { type CacheWatcher, WatcherIndex, type WatchScope } from './watcher-index.js';

export interface WatchCacheOptions {
  /** With a trailing slash: `/registry/pods/`. */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly format: ObjectFormat;
  /** Indexed fields, with functions that read them: `spec.nodeName` of pods. */
  readonly indexedFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /**
   * Objects are not cached: reads and watches go to the store, and the cache only counts objects. For resources that
   * are written often, read rarely and expire.
   */
  readonly uncached?: boolean | undefined;
  /** Called before the watchers receive the event. */
  readonly onEvent?: ((event: CacheEvent) => void) | undefined;
}

export interface WatchCacheDependencies {
  readonly store: Store;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly activity?: Activity | undefined;
}

/** The conditions of a list that the cache can look up in an index. */
export interface CacheQuery {
  /** Empty for all. */
  readonly namespace: string;
  readonly field?: { readonly name: string; readonly value: string } | undefined;
}

const none: readonly StoredObject[] = [];
const reloadDelay = { initialMs: 1000, maxMs: 30_000 };

/**
 * All objects of one resource, as fresh as the feed, with the last events.
 *
 * It is filled by `load` before it is read. A change is applied and sent to the watchers in one synchronous step, so
 * the initial state of a watcher and the events that it receives afterwards are consistent without a lock.
 */
export class WatchCache implements FeedListener, Disposable {
  readonly options: WatchCacheOptions;
  readonly #deps: WatchCacheDependencies;
  #all = new KeyIndex<StoredObject>();
  #byNamespace = new Map<string, KeyIndex<StoredObject>>();
  /** By field and value. A field is indexed on first use, so that loading need not decode objects. */
  #byField = new Map<string, Map<string, KeyIndex<StoredObject>>>();
  #window: EventWindow;
  readonly watchers: WatcherIndex;
  readonly #objectSize = new MeanSize();
  /** Events that arrived while the cache was loading; undefined otherwise. */
  #early: (readonly [readonly StoreEvent[], Revision])[] | undefined = [];
  /** The load included everything up to this revision. */
  #loadedAt: Revision = 0;
  /** The revision of the last change of this resource. */
  #modifiedAt: Revision = 0;
  #generation = 0;
  /** The number of objects, if they are not cached. */
  #count = 0;
  #loading: Promise<void> | undefined;
  /** The revision of the feed at the gap for which the cache is reloading. */
  #revisionAtGap: Revision = 0;
  /** Counts gaps: a load that started before the last gap is discarded. */
  #gaps = 0;
  readonly #ended = new AbortController();
  /** Not packed yet, because watchers may be sending it. */
  #lastEvent: CacheEvent | undefined;

  constructor(options: WatchCacheOptions, deps: WatchCacheDependencies) {
    this.options = options;
    this.#deps = deps;
    this.#window = new EventWindow(deps.clock, 0);
    this.watchers = new WatcherIndex(options.indexedFields);
  }

  /** Loads all objects from the store. Events that arrive meanwhile are applied afterwards. */
  async load(): Promise<void> {
    if (!(await this.#tryLoad())) await this.#loading;
  }

  /** False, and without effect, if events were missed during the load. */
  async #tryLoad(): Promise<boolean> {
    const gap = this.#gaps;
    const { prefix, uncached } = this.options;
    const { items, revision, count } = await this.#deps.store.list(prefix, uncached ? { limit: 1 } : {});
    if (gap !== this.#gaps) return false;
    this.#count = count;
    const all = new KeyIndex<StoredObject>();
    this.#byNamespace = new Map();
    this.#byField = new Map();
    this.#all = all;
    for (const { value } of items) this.#objectSize.observe(value.length);
    for (const item of uncached ? [] : items) this.#put(StoredObject.fromKeyValue(item, this.options.format));
    // Objects may have been deleted shortly before, which a list does not show.
    this.#modifiedAt = revision;
    this.#window = new EventWindow(this.#deps.clock, revision);
    this.#loadedAt = revision;
    this.#generation++;
    this.#applyEarly();
    // In the same synchronous step: a gap in the next one needs another reload.
    this.#loading = undefined;
    return true;
  }

  /** If the list cannot be applied, the cache stays in the loading state: events are ignored until the next list. */
  #applyEarly(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    try {
      for (const [events, at] of early) this.onEvents(events, at);
    } catch (error) {
      this.#early = [];
      throw error;
    }
  }

  /** The revision up to which everything has been applied. A list may be ahead of the feed. */
  get revision(): Revision {
    return this.#early === undefined ? Math.max(this.#deps.feed.revision, this.#loadedAt) : this.#revisionAtGap;
  }

  /** The revision of the last change, or of the load if there has been none since. */
  get modifiedAt(): Revision {
    return this.#modifiedAt;
  }

  /** Increases with every change. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.options.uncached ? this.#count : this.#all.size;
  }

  /** Approximate size of an object in the store. */
  get objectBytes(): number {
    return this.#objectSize.bytes;
  }

  /** Current capacity of the event window. */
  get capacity(): number {
    return this.#window.capacity;
  }

  get(key: string): StoredObject | undefined {
    return this.#all.get(key);
  }

  count(namespace: string): number {
    return namespace === '' ? this.#all.size : (this.#byNamespace.get(namespace)?.size ?? 0);
  }

  /** In key order. A query that names a field is answered from its index, and may hold objects of other namespaces. */
  list(query: CacheQuery): readonly StoredObject[] {
    if (query.field && Object.hasOwn(this.options.indexedFields, query.field.name)) {
      return this.#fieldIndex(query.field.name).get(query.field.value)?.list() ?? none;
    }
    if (query.namespace === '') return this.#all.list();
    return this.#byNamespace.get(query.namespace)?.list() ?? none;
  }

  /** The events after `revision`, or `undefined` if some have been dropped. */
  eventsAfter(revision: Revision): readonly CacheEvent[] | undefined {
    return this.#window.after(revision);
  }

  get oldestRevision(): Revision {
    return this.#window.oldest;
  }

  /** The resource may be gone since the watch was requested: then it ends, when the caller has it. */
  watch(scope: WatchScope, watcher: CacheWatcher): Disposable {
    if (this.isClosed) void Promise.resolve().then(() => this.watchers.endAll());
    return this.watchers.add(scope, watcher);
  }

  /** Call it when no further event arrives. */
  get isClosed(): boolean {
    return this.#ended.signal.aborted;
  }

  get logger(): Logger {
    return this.#deps.logger ?? silentLogger;
  }

  onEvents(events: readonly StoreEvent[], revision: Revision): void {
    if (this.#early) {
      this.#early.push([events, revision]);
      return;
    }
    const now = this.#deps.clock.now();
    for (const event of events) this.#apply(event, now);
  }

  /** One reload runs at a time, however many gaps occur; it ends with a list that was read after the last of them. */
  onGap(): void {
    if (this.#ended.signal.aborted) return;
    if (this.#loading === undefined) this.#revisionAtGap = this.#deps.feed.revision;
    this.#early = [];
    this.#gaps++;
    this.#loading ??= this.#reloadUntilLoaded();
    this.watchers.endAll();
  }

  /** Ends its watches, and stops a running reload. */
  [Symbol.dispose](): void {
    this.#ended.abort();
    this.watchers.endAll();
  }

  /** Whether events have been missed and the reload has not finished: the cached objects are old. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  /** A reload that ends because the cache is closed still resolves. */
  #reloadUntilLoaded(): Promise<void> {
    const reload = this.#reload().finally(() => {
      if (this.#loading === reload) this.#loading = undefined;
    });
    return reload;
  }

  /** Retries until the store answers or the cache is closed. */
  async #reload(): Promise<void> {
    const { logger } = this;
    const { clock, feed, activity } = this.#deps;
    const signal = AbortSignal.any([feed.signal, this.#ended.signal]);
    const backoff = new Backoff(reloadDelay);
    while (!signal.aborted) {
      try {
        if (await this.#tryLoad()) return;
      } catch (error) {
        const delayMs = backoff.next();
        logger.error('a watch cache could not be filled', { prefix: this.options.prefix, error, delayMs });
        using _waiting = activity?.awaitTime();
        // Interrupted only when the loop ends.
        await sleep(clock, delayMs, signal).catch(() => undefined);
        // The next list includes the changes until now: they need not be buffered, even if the store fails for a long
        // time.
        this.#early = [];
      }
    }
  }

  #apply(change: StoreEvent, recordedAt: Millis): void {
    const { key, modRevision } = change.keyValue;
    if (modRevision <= this.#loadedAt) return;
    // Makes the feed reload this cache until the value can be read; other caches continue.
    if (change.type === 'put' && change.problem !== undefined) throw change.problem;
    if (change.type === 'put') this.#objectSize.observe(change.keyValue.value.length);
    if (this.options.uncached) {
      this.#countChange(change);
      return;
    }
    const previous = this.#all.get(key);
    const current = change.type === 'put' ? StoredObject.fromKeyValue(change.keyValue, this.options.format) : undefined;
    if (!current && !previous) return;
    if (previous) this.#unindex(previous, current);
    if (current) this.#put(current);
    else this.#all.delete(key);
    this.#modifiedAt = modRevision;
    this.#generation++;
    const event = new CacheEvent({ revision: modRevision, key, current, previous, recordedAt });
    this.#window.add(event);
    this.options.onEvent?.(event);
    this.watchers.dispatch(event, this.#namespaceOf(key));
    this.#lastEvent?.shrink();
    this.#lastEvent = event;
  }

  #countChange({ type, keyValue }: StoreEvent): void {
    if (type === 'delete') this.#count--;
    else if (keyValue.version === 1) this.#count++;
    this.#modifiedAt = keyValue.modRevision;
    this.#generation++;
  }

  #put(object: StoredObject): void {
    this.#all.set(object.key, object);
    if (this.options.namespaced) indexIn(this.#byNamespace, this.#namespaceOf(object.key)).set(object.key, object);
    for (const [field, index] of this.#byField) indexIn(index, this.#fieldValue(field, object)).set(object.key, object);
  }

  /** Removes an object from the indexes, unless its new version replaces it there. */
  #unindex(object: StoredObject, successor: StoredObject | undefined): void {
    if (!successor && this.options.namespaced) removeFrom(this.#byNamespace, this.#namespaceOf(object.key), object.key);
    for (const [field, index] of this.#byField) {
      const value = this.#fieldValue(field, object);
      if (!successor || this.#fieldValue(field, successor) !== value) removeFrom(index, value, object.key);
    }
  }

  #fieldIndex(field: string): Map<string, KeyIndex<StoredObject>> {
    const fieldIndex = this.#byField.get(field);
    if (fieldIndex) return fieldIndex;
    const index = new Map<string, KeyIndex<StoredObject>>();
    for (const object of this.#all.values()) indexIn(index, this.#fieldValue(field, object)).set(object.key, object);
    this.#byField.set(field, index);
    return index;
  }

  #fieldValue(field: string, { object }: StoredObject): string {
    return this.options.indexedFields[field]?.(object) ?? '';
  }

  #namespaceOf(key: string): string {
    if (!this.options.namespaced) return '';
    const start = this.options.prefix.length;
    return key.slice(start, key.indexOf('/', start));
  }
}

function indexIn<T>(indexes: Map<string, KeyIndex<T>>, value: string): KeyIndex<T> {
  let index = indexes.get(value);
  if (!index) {
    index = new KeyIndex();
    indexes.set(value, index);
  }
  return index;
}

function removeFrom<T>(indexes: Map<string, KeyIndex<T>>, value: string, key: string): void {
  const index = indexes.get(value);
  index?.delete(key);
  if (index?.size === 0) indexes.delete(value);
}
