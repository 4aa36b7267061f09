import type { Activity, Clock } from '@coracle/base';
import type { Backend, BackendWrite } from '../backend.js';
import { checkTransaction } from '../limits.js';
import type {
  KeyValue,
  Lease,
  LeaseId,
  ListOptions,
  ListResult,
  Operation,
  Revision,
  Store,
  StoreEvent,
  StoreWatch,
  Transaction,
  TransactionResult,
  WatchListener,
} from '../store.js';
import { StoreError } from '../store-error.js';
import { type Commit, CommitQueue } from './commit-queue.js';
import { type CompactedStore, compactionMark, readCompactRevision, sweep } from './compaction.js';
import { readLastRevision } from './database-format.js';
import { History, type HistoryQuery } from './history.js';
import { Leases } from './leases.js';
import { PendingState } from './pending-state.js';
import { applyOperations } from './transaction.js';
import { compacted, EmbeddedWatch, type WatchedStore } from './watch.js';
import { WatchHub } from './watch-hub.js';

export interface EmbeddedStoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Counts writes in progress. */
  readonly activity?: Activity;
}

/**
 * The store over an ordered map of bytes.
 *
 * A transaction is decided at once, on the pending state; its writes become durable with the batch that they
 * fall into; then watchers are notified, then the caller. Readers see what is durable and nothing beyond:
 * no client ever acts on a write that a crash could undo.
 */
export class EmbeddedStore implements Store, WatchedStore, CompactedStore {
  readonly backend: Backend;
  readonly history: History;
  readonly hub = new WatchHub();
  closed = false;
  /** The last durable revision. */
  revision: Revision;
  compactRevision: Revision;
  /** The last assigned revision, durable or not. */
  #decided: Revision;
  readonly #pending: PendingState;
  readonly #queue: CommitQueue;
  readonly #leases: Leases;
  #sweeping: Promise<void> = Promise.resolve();

  constructor({ backend, clock, activity }: EmbeddedStoreOptions) {
    this.backend = backend;
    this.history = new History(backend);
    this.compactRevision = readCompactRevision(backend);
    this.revision = readLastRevision(backend);
    this.#decided = this.revision;
    this.#pending = new PendingState(this.history);
    this.#queue = new CommitQueue({
      backend,
      activity,
      onDurable: (batch) => this.#onDurable(batch),
      onFailed: () => this.#onFailed(),
    });
    this.#leases = new Leases({ backend, history: this.history, clock, onExpired: (id) => this.#expire(id) });
  }

  async get(key: string, options: { readonly revision?: Revision } = {}): Promise<KeyValue | undefined> {
    return this.history.get(key, this.#readable(options.revision));
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    const { limit, startKey } = options;
    const query = { ...this.#query(prefix, this.#readable(options.revision)), limit, startKey };
    return { ...this.history.list(query), revision: this.revision };
  }

  async count(prefix: string): Promise<number> {
    return this.history.count(this.#query(prefix, this.#readable()));
  }

  async currentRevision(): Promise<Revision> {
    return this.#readable();
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    this.#checkOpen();
    checkTransaction(transaction);
    const { compare, operations } = transaction;
    if (compare.some(({ key, modRevision }) => this.#modRevision(key) !== modRevision)) {
      const current = compare.map(({ key }) => this.#pending.read(key));
      await this.#commit([]);
      return { succeeded: false, revision: this.revision, current };
    }
    this.#checkLeases(operations);
    return { succeeded: true, revision: await this.#apply(operations, []), current: [] };
  }

  watch(prefix: string, fromRevision: Revision, listener: WatchListener): StoreWatch {
    this.#checkOpen();
    return new EmbeddedWatch({ store: this, prefix, fromRevision, listener });
  }

  async grantLease(ttlSeconds: number): Promise<Lease> {
    this.#checkOpen();
    const { lease, writes } = this.#leases.grant(ttlSeconds);
    await this.commit(writes);
    return lease;
  }

  async revokeLease(id: LeaseId): Promise<void> {
    this.#checkOpen();
    this.#checkLease(id);
    await this.#revoke(id);
  }

  async sizeBytes(): Promise<number | undefined> {
    return await this.backend.sizeBytes?.();
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    if (revision > this.revision) throw futureRevision(revision, this.revision);
    if (revision <= this.compactRevision) throw compacted(revision, this.compactRevision);
    this.compactRevision = revision;
    await this.commit([compactionMark(revision)]);
    // One compaction at a time: each continues where the previous one ended, or failed.
    this.#sweeping = this.#sweeping.catch(() => {}).then(() => sweep(this, revision));
    await this.#sweeping;
  }

  isPending(key: string): boolean {
    return this.#pending.has(key);
  }

  async commit(writes: readonly BackendWrite[]): Promise<void> {
    await this.#commit(writes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.hub.clear();
    this.#leases.close();
    await this.#queue.drain();
    await this.backend[Symbol.asyncDispose]();
  }

  /**
   * Assigns a revision to the operations if they change anything, and resolves with the store's revision when they are
   * durable.
   */
  async #apply(operations: readonly Operation[], more: readonly BackendWrite[]): Promise<Revision> {
    const { writes, events } = applyOperations(this.#pending, operations, this.#decided + 1);
    if (events.length > 0) this.#decided++;
    const revision = this.#decided;
    writes.push(...this.#leases.attach(leasesOf(operations), revision), ...more);
    await this.#commit(writes, events);
    return revision;
  }

  /** Resolves when the writes, and all that was decided before them, are durable. */
  #commit(writes: readonly BackendWrite[], events: readonly StoreEvent[] = []): Promise<void> | undefined {
    if (writes.length === 0 && this.#queue.idle) return undefined;
    return new Promise((onDurable, onFailed) => {
      this.#queue.push({ writes, events, revision: this.#decided, onDurable, onFailed });
    });
  }

  #onDurable(batch: readonly Commit[]): void {
    const events: StoreEvent[] = [];
    for (const commit of batch) for (const event of commit.events) events.push(event);
    this.revision = batch.at(-1)?.revision ?? this.revision;
    for (const { keyValue } of events) this.#pending.settle(keyValue.key, this.revision);
    if (events.length > 0) this.hub.publish(events, this.revision);
  }

  #onFailed(): void {
    this.#decided = this.revision;
    this.#pending.clear();
  }

  #query(prefix: string, revision: Revision): HistoryQuery {
    const current = revision === this.revision;
    const deletedSince = current ? this.#pending.keys() : undefined;
    return { prefix, revision, latest: current && this.#decided === revision, deletedSince };
  }

  #readable(revision: Revision = this.revision): Revision {
    this.#checkOpen();
    if (revision > this.revision) throw futureRevision(revision, this.revision);
    if (revision < this.compactRevision) throw compacted(revision, this.compactRevision);
    return revision;
  }

  #expire(id: LeaseId): void {
    // It is retried later.
    this.#revoke(id).catch(() => undefined);
  }

  async #revoke(id: LeaseId): Promise<void> {
    const keys = new Set([...this.#leases.attached(id), ...this.#pending.keys()]);
    const operations = [...keys]
      .filter((key) => this.#pending.get(key)?.live?.lease === id)
      .sort()
      .map((key): Operation => ({ kind: 'delete', key }));
    try {
      await this.#apply(operations, this.#leases.revoke(id));
    } catch (error) {
      this.#leases.restore(id);
      throw error;
    }
    this.#leases.forget(id);
  }

  /** The mod-revision that a comparison sees: 0 for a key that does not exist. */
  #modRevision(key: string): Revision {
    return this.#pending.get(key)?.live?.position.revision ?? 0;
  }

  #checkLeases(operations: readonly Operation[]): void {
    for (const operation of operations)
      if (operation.kind === 'put' && operation.lease) this.#checkLease(operation.lease);
  }

  #checkLease(id: LeaseId): void {
    if (!this.#leases.has(id)) throw new StoreError('LeaseNotFound', `there is no lease ${id}`);
  }

  #checkOpen(): void {
    if (this.closed) throw new StoreError('Closed', 'the store is closed');
  }
}

/** Total size of the values that are put. */
function leasesOf(operations: readonly Operation[]): LeaseId[] {
  const leases: LeaseId[] = [];
  for (const operation of operations) if (operation.kind === 'put' && operation.lease) leases.push(operation.lease);
  return leases;
}

function futureRevision(revision: Revision, current: Revision): StoreError {
  return new StoreError('FutureRevision', `revision ${revision} does not exist yet; the store is at ${current}`);
}
