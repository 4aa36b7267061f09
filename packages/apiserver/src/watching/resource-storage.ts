import type { KubeObject } from '@coracle/apimachinery';
import { type Activity, type Clock, type Logger, type Millis, monotonicNow, sleep } from '@coracle/base';
import {
  type KeyValue,
  type LeaseId,
  type Operation,
  type Revision,
  type Store,
  StoreError,
  type TransactionResult,
} from '@coracle/store';
import { shareUnchanged } from '../storage/share-unchanged.js';
import type { SharedLeases } from '../storage/shared-leases.js';
import { StoredObject } from '../storage/stored-object.js';
import type { ChangeFeed } from './change-feed.js';
import { StoreWatchSource } from './store-watch-source.js';
import { WatchCache, type WatchCacheOptions } from './watch-cache.js';

export interface StorageDependencies {
  readonly store: Store;
  readonly feed: ChangeFeed;
  readonly leases: SharedLeases;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly activity?: Activity | undefined;
}

/** The result of a conditional write. */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly stored: StoredObject }
  /** Nothing was written: `current` is the object in the store, if there is one. */
  | { readonly kind: 'conflict'; readonly current: StoredObject | undefined };

/** Timeout for a read that waits until the cache reaches the required revision. */
const freshnessTimeoutMs: Millis = 3000;

/** The objects of one resource: writes go to the store, reads come from the watch cache. */
export class ResourceStorage implements Disposable {
  readonly cache: WatchCache;
  readonly #deps: StorageDependencies;
  readonly #subscription: Disposable;

  constructor(options: WatchCacheOptions, deps: StorageDependencies) {
    this.#deps = deps;
    this.cache = new WatchCache(options, deps);
    this.#subscription = deps.feed.subscribe(options.prefix, this.cache);
  }

  /** Called when the resource is no longer served: ends its watches, and stops its cache. */
  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.cache[Symbol.dispose]();
  }

  key(namespace: string, name: string): string {
    const { prefix, namespaced } = this.cache.options;
    return namespaced ? `${prefix}${namespace}/${name}` : prefix + name;
  }

  async create(key: string, object: KubeObject, ttlSeconds?: number): Promise<WriteOutcome> {
    return await this.#put(key, object, { modRevision: 0, ttlSeconds });
  }

  /**
   * Replaces `current` if the store still has it. An object that is identical, including its resourceVersion, is not
   * written again.
   */
  async replace(current: StoredObject, object: KubeObject, ttlSeconds?: number): Promise<WriteOutcome> {
    return await this.#put(current.key, object, { modRevision: current.revision, ttlSeconds, current });
  }

  /** The result contains the last state, with the revision of its deletion. */
  async remove(current: StoredObject): Promise<WriteOutcome> {
    const { key } = current;
    const operations: Operation[] = [{ kind: 'delete', key }];
    const result = await this.#deps.store.transact({ compare: [{ key, modRevision: current.revision }], operations });
    if (!result.succeeded) return { kind: 'conflict', current: this.#decode(result.current[0]) };
    return { kind: 'written', stored: current.atRevision(result.revision) };
  }

  /** As fresh as the store. Read from the cache once that is fresh enough. */
  async read(key: string): Promise<StoredObject | undefined> {
    if (!this.isCached) return this.#decode(await this.#deps.store.get(key));
    const revision = await this.#deps.store.currentRevision();
    if (await this.isFresh(revision)) return this.cache.get(key);
    return this.#decode(await this.#deps.store.get(key));
  }

  /** False for resources whose reads and watches go to the store. */
  get isCached(): boolean {
    return this.cache.options.uncached !== true;
  }

  /** For a watch without a cache: the changes below `prefix` after `revision`. */
  openSource(prefix: string, revision: Revision, objects: readonly StoredObject[] = []): StoreWatchSource {
    const { store, clock } = this.#deps;
    return new StoreWatchSource({ store, clock, format: this.cache.options.format, prefix, revision, objects });
  }

  /** The revision that a consistent read requires. */
  async currentRevision(): Promise<Revision> {
    return await this.#deps.store.currentRevision();
  }

  /** Waits until the cache has reached `revision`; false on timeout. */
  isFresh(revision: Revision): boolean | Promise<boolean> {
    if (this.cache.loading !== undefined) return this.#becomesFresh(revision, monotonicNow(this.#deps.clock));
    if (this.cache.revision >= revision) return true;
    return this.#becomesFresh(revision, monotonicNow(this.#deps.clock));
  }

  /** The feed may skip to the revision over a gap: then the cache has to be reloaded first. */
  async #becomesFresh(revision: Revision, since: Millis): Promise<boolean> {
    const { clock, feed } = this.#deps;
    for (;;) {
      const leftMs = since + freshnessTimeoutMs - monotonicNow(clock);
      const { loading } = this.cache;
      if (loading !== undefined) {
        if (!(await this.#endsWithin(loading, leftMs))) return false;
      } else if (this.cache.revision >= revision) return true;
      else if (!(await feed.waitFor(revision, leftMs))) return false;
    }
  }

  async #endsWithin(work: Promise<void>, timeoutMs: Millis): Promise<boolean> {
    const over = new AbortController();
    const late = sleep(this.#deps.clock, timeoutMs, over.signal).then(
      () => false,
      () => false,
    );
    const inTime = await Promise.race([work.then(() => true), late]);
    over.abort();
    return inTime && !this.#deps.feed.signal.aborted;
  }

  /** Fails with `Compacted` if the history of the store does not reach back to `revision`. */
  async requireHistory(revision: Revision): Promise<void> {
    await this.#deps.store.get(this.cache.options.prefix, { revision });
  }

  /** The state of the resource at `revision`, from the history of the store. */
  async listAt(
    prefix: string,
    options: { readonly revision: Revision; readonly limit?: number; readonly startKey?: string },
  ): Promise<{ readonly items: readonly StoredObject[]; readonly more: boolean; readonly count: number }> {
    const result = await this.#deps.store.list(prefix, options);
    return { items: result.items.map((item) => this.#cachedOrDecoded(item)), more: result.more, count: result.count };
  }

  async #put(
    key: string,
    object: KubeObject,
    options: { modRevision: Revision; ttlSeconds: number | undefined; current?: StoredObject },
  ): Promise<WriteOutcome> {
    if (options.current && shareUnchanged(object, options.current.object) && !this.#deps.store.isStale?.(key)) {
      return { kind: 'written', stored: options.current };
    }
    let stored = StoredObject.fromObject(key, this.cache.options.format, object);
    let result: TransactionResult;
    try {
      result = await this.#write(stored, options);
    } catch (error) {
      if (!StoreError.is(error, 'TooLarge') || !object.metadata.managedFields) throw error;
      // Managed fields are dropped rather than rejecting the object.
      const { managedFields: _managedFields, ...metadata } = object.metadata;
      stored = StoredObject.fromObject(key, this.cache.options.format, { ...object, metadata });
      result = await this.#write(stored, options);
    }
    if (!result.succeeded) return { kind: 'conflict', current: this.#decode(result.current[0]) };
    stored.settle(result.revision);
    return { kind: 'written', stored };
  }

  /** What expires is put under a lease. When another client has revoked that, it is put under a new one. */
  async #write(
    stored: StoredObject,
    { modRevision, ttlSeconds }: { modRevision: Revision; ttlSeconds: number | undefined },
  ): Promise<TransactionResult> {
    const { store, leases } = this.#deps;
    const compare = [{ key: stored.key, modRevision }];
    const put = (lease?: LeaseId) => store.transact({ compare, operations: [putOf(stored, lease)] });
    if (ttlSeconds === undefined) return await put();
    const lease = await leases.forTtl(ttlSeconds);
    try {
      return await put(lease);
    } catch (error) {
      if (!StoreError.is(error, 'LeaseNotFound')) throw error;
      await leases.forget(ttlSeconds, lease);
      return await put(await leases.forTtl(ttlSeconds));
    }
  }

  #cachedOrDecoded(item: KeyValue): StoredObject {
    const cached = this.cache.get(item.key);
    return cached?.revision === item.modRevision ? cached : StoredObject.fromKeyValue(item, this.cache.options.format);
  }

  #decode(keyValue: KeyValue | undefined): StoredObject | undefined {
    return keyValue && this.#cachedOrDecoded(keyValue);
  }
}

function putOf(stored: StoredObject, lease: LeaseId | undefined): Operation {
  return { kind: 'put', key: stored.key, value: stored.value, decoded: stored, ...(lease !== undefined && { lease }) };
}
