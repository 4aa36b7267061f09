import type { KubeList, KubeObject, WatchEvent } from '@coracle/apimachinery';

/** Options of all reads. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
}

/** Options of a get: the freshness of the result. */
export interface GetOptions extends ReadOptions {
  readonly resourceVersion?: string;
}

/** Options of a list: selectors, page size, and freshness. */
export interface ListOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
}

/** Options of a watch: selectors, the first version, and initial events. */
export interface WatchOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** Options of all writes. */
export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly signal?: AbortSignal;
}

/**
 * JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386), or strategic merge patch, which uses the merge keys of lists.
 */
export type PatchType = 'json' | 'merge' | 'strategic';

/** Options of a patch: its type. */
export interface PatchOptions extends WriteOptions {
  readonly type: PatchType;
  readonly subresource?: string;
}

/** Options of server-side apply: the field manager, and whether conflicts are forced. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: string;
}

/** Options of a deletion: grace period, propagation policy and preconditions. */
export interface DeleteOptions extends WriteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Receives the events of a watch. */
export interface WatchSink<T> {
  /** Must not throw. */
  event(event: WatchEvent<T>): void;
  /** Called once at the end; with an error unless the server closed the watch normally. */
  end(error?: unknown): void;
}

/**
 * One resource, in one namespace, in all of them, or without any.
 *
 * Failures are `StatusError`s. Objects that come back may be shared with caches: copy before you change.
 */
export interface ResourceClient<T extends KubeObject> {
  get(name: string, options?: GetOptions): Promise<T>;
  list(options?: ListOptions): Promise<KubeList<T>>;
  /** All objects, page by page, as one snapshot where the server can. */
  listAll(options?: ListOptions & { readonly pageSize?: number }): AsyncIterable<T>;
  /** One watch, until it ends: the server closes it after some minutes. Informers resume; this does not. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** The same with callbacks: no promise for each event. They are not called any more once the result is disposed. */
  openWatch(options: WatchOptions, sink: WatchSink<T>): Disposable;
  create(object: T, options?: WriteOptions): Promise<T>;
  update(object: T, options?: WriteOptions): Promise<T>;
  updateStatus(object: T, options?: WriteOptions): Promise<T>;
  patch(name: string, patch: unknown, options: PatchOptions): Promise<T>;
  apply(object: T, options: ApplyOptions): Promise<T>;
  /** The last state of the object, or its current state if it is not deleted yet. */
  delete(name: string, options?: DeleteOptions): Promise<unknown>;
  deleteCollection(options?: DeleteOptions & ListOptions): Promise<void>;
  getSubresource<S>(name: string, subresource: string, options?: GetOptions): Promise<S>;
  createSubresource<S>(name: string, subresource: string, body: S, options?: WriteOptions): Promise<unknown>;
  updateSubresource<S>(name: string, subresource: string, body: S, options?: WriteOptions): Promise<S>;
}
