/** Counts writes through the whole store: each transaction that changes anything takes the next one. */
export type Revision = number;

/** A value with its revisions in the store's history. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the creation. */
  readonly createRevision: Revision;
  /** Revision of the last write: the resourceVersion of an object. */
  readonly modRevision: Revision;
  /** Number of writes since the creation, from 1. */
  readonly version: number;
  /** Id of the lease; zero for none. */
  readonly lease: LeaseId;
  /**
   * The decoded form of the value, if it was written by this process, so that readers need not decode it. Never stored;
   * absent after a restart or from another process.
   */
  readonly decoded?: unknown | undefined;
}

export type LeaseId = number;

export interface ListOptions {
  /** Maximum number of keys, in key order. */
  readonly limit?: number;
  /** The first key to return: where the last page ended. */
  readonly startKey?: string;
  /** The state at this revision. Fails with `Compacted` or `FutureRevision` if it is not available. */
  readonly revision?: Revision;
}

export interface ListResult {
  readonly items: readonly KeyValue[];
  /** The store's revision when this was read (also when an older one was requested). */
  readonly revision: Revision;
  /** Number of keys from `startKey` on, including those beyond the limit. */
  readonly count: number;
  readonly more: boolean;
}

/** Holds if the key was last written at `modRevision`; 0 stands for a key that does not exist. */
export interface Compare {
  readonly key: string;
  readonly modRevision: Revision;
}

export type Operation =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly lease?: LeaseId;
      readonly decoded?: unknown;
    }
  | { readonly kind: 'delete'; readonly key: string };

export interface Transaction {
  /** All must hold. */
  readonly compare: readonly Compare[];
  /** Done together, under one revision, if they do. A key may occur once. */
  readonly operations: readonly Operation[];
}

export interface TransactionResult {
  /** False if a comparison failed; then nothing was changed. */
  readonly succeeded: boolean;
  /** The transaction's own revision, or the store's current one if nothing was changed. */
  readonly revision: Revision;
  /** If it failed: the current value at each compared key, in their order. */
  readonly current: readonly (KeyValue | undefined)[];
}

export type StoreEvent =
  /** `problem`: why the value could not be decrypted. The value is then the stored one. */
  | { readonly type: 'put'; readonly keyValue: KeyValue; readonly problem?: unknown }
  /** `keyValue.modRevision` is the revision of the deletion; its value is empty. */
  | { readonly type: 'delete'; readonly keyValue: KeyValue };

export interface WatchListener {
  /**
   * All events of one or more whole revisions, in order. Called synchronously: keep it short. One that throws loses its
   * watch.
   */
  onEvents(events: readonly StoreEvent[], revision: Revision): void;
  /** Everything up to `revision` has been delivered. Called on request, and periodically. */
  onProgress?(revision: Revision): void;
  /** The watch is over and cannot be resumed: a `StoreError`, mostly `Compacted`. */
  onError(error: Error): void;
}

export interface StoreWatch extends Disposable {
  /** Requests `onProgress` as soon as the watch has delivered everything that was written before this call. */
  requestProgress(): void;
}

export interface Lease {
  readonly id: LeaseId;
  readonly ttlSeconds: number;
}

/**
 * A revisioned key-value store, shaped like etcd.
 *
 * One revision counts all writes. A write is acknowledged (its promise resolves) only when it is durable,
 * as far as the implementation keeps anything at all. All readers see writes in the same order.
 * Failures are `StoreError`s.
 */
export interface Store extends AsyncDisposable {
  /** The value at a key now, as fresh as the last acknowledged write of any client. */
  get(key: string, options?: { readonly revision?: Revision }): Promise<KeyValue | undefined>;
  /** All keys that begin with `prefix`, in key order. */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;
  count(prefix: string): Promise<number>;
  transact(transaction: Transaction): Promise<TransactionResult>;
  /**
   * Reports every write to a key that begins with `prefix`, from `fromRevision` on (that one included),
   * in order, each once. Survives lost connections; ends only when disposed or with `onError`.
   */
  watch(prefix: string, fromRevision: Revision, listener: WatchListener): StoreWatch;
  /** The revision of the last write, as fresh as `get`. */
  currentRevision(): Promise<Revision>;
  /** Keys written with the lease are deleted when it expires. */
  grantLease(ttlSeconds: number): Promise<Lease>;
  revokeLease(id: LeaseId): Promise<void>;
  /** Compacts history before `revision`: reads and watches at older revisions fail from then on. */
  compact(revision: Revision): Promise<void>;
  /**
   * Whether the value at a key should be rewritten even if it is unchanged, because it is encrypted with an old key.
   */
  isStale?(key: string): boolean;
  /** The size on disk; `undefined` for a store that is not on disk. */
  sizeBytes?(): Promise<number | undefined>;
}
