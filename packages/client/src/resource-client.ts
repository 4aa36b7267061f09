import type { KubeList, KubeObject, WatchEvent } from '@coracle/apimachinery';

/** Of any read. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
}

/** Of a read: how old the answer may be. */
export interface GetOptions extends ReadOptions {
  readonly resourceVersion?: string;
}

/** Of a list: which objects, how many at once, and how old the answer may be. */
export interface ListOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
}

/** Of a watch: which objects, from which version on, and what comes first. */
export interface WatchOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** Of any write. */
export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly signal?: AbortSignal;
}

/** JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386), or strategic merge patch, which knows the keys of lists. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** Of a patch: in which language it is written. */
export interface PatchOptions extends WriteOptions {
  readonly type: PatchType;
  readonly subresource?: string;
}

/** Of a server-side apply: whose fields these are, and whether they are taken from others. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: string;
}

/** Of a deletion: grace period, propagation policy and preconditions. */
export interface DeleteOptions extends WriteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Receives what a watch brings. */
export interface WatchSink<T> {
  /** Must not throw. */
  event(event: WatchEvent<T>): void;
  /** Called once, last; with an error unless the server closed the watch in good order. */
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
  /** The object as it was, or as it is now if something holds its deletion up. */
  delete(name: string, options?: DeleteOptions): Promise<unknown>;
  deleteCollection(options?: DeleteOptions & ListOptions): Promise<void>;
  getSubresource<S>(name: string, subresource: string, options?: GetOptions): Promise<S>;
  createSubresource<S>(name: string, subresource: string, body: S, options?: WriteOptions): Promise<unknown>;
  updateSubresource<S>(name: string, subresource: string, body: S, options?: WriteOptions): Promise<S>;
}
