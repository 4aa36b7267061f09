import { randomInt } from 'node:crypto';
import {
  checkTransaction,
  type KeyValue,
  type Lease,
  type LeaseId,
  type ListOptions,
  type ListResult,
  type Revision,
  type Store,
  StoreError,
  type StoreWatch,
  type Transaction,
  type TransactionResult,
  type WatchListener,
} from '@coracle/store';
import { EtcdConnection } from './connection.js';
import type { EtcdStoreOptions } from './create-etcd-store.js';
import { isDoubtful } from './errors.js';
import { EtcdWatch } from './etcd-watch.js';
import { isMarker, Keys } from './keys.js';
import { methods, type RangeRequest } from './messages.js';
import { ProgressSource } from './progress.js';
import { transact } from './transact.js';

/** Lease ids are generated here, because those of etcd exceed safe integers. */
const leaseIds = 2 ** 47;

/** The store in an etcd cluster, 3.4 or later. Several processes may share it. */
export class EtcdStore implements Store {
  readonly #connection: EtcdConnection;
  readonly #keys: Keys;
  readonly #progress: ProgressSource;
  readonly #watches = new Set<StoreWatch>();
  /** Only for the oldest revision in error messages, which etcd does not return. */
  #compactRevision = 0;

  constructor(options: EtcdStoreOptions) {
    this.#connection = new EtcdConnection(options);
    this.#keys = new Keys(options.prefix ?? '', options.root);
    this.#progress = new ProgressSource(this.#connection, this.#keys);
  }

  async get(key: string, { revision }: { readonly revision?: Revision } = {}): Promise<KeyValue | undefined> {
    const { kvs } = await this.#range({ key: this.#keys.bytes(key), revision });
    return kvs?.[0] && this.#keys.keyValue(kvs[0]);
  }

  async list(prefix: string, { limit, startKey, revision }: ListOptions = {}): Promise<ListResult> {
    const answer = await this.#range({ ...this.#keys.range(prefix, startKey), limit, revision });
    const found = (answer.kvs ?? []).map((wire) => this.#keys.keyValue(wire));
    const items = found.filter((item) => !isMarker(item.key));
    const count = (answer.count ?? 0) - (found.length - items.length);
    return { items, count, more: answer.more ?? false, revision: answer.header?.revision ?? 0 };
  }

  async count(prefix: string): Promise<number> {
    const { count = 0 } = await this.#range({ ...this.#keys.range(prefix), countOnly: true });
    return count;
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    checkTransaction(transaction);
    return await transact({ connection: this.#connection, keys: this.#keys }, transaction);
  }

  watch(prefix: string, fromRevision: Revision, listener: WatchListener): StoreWatch {
    if (this.#connection.closed) throw new StoreError('Closed', 'the store is closed');
    const [connection, keys, progress] = [this.#connection, this.#keys, this.#progress];
    const watch = new EtcdWatch({ connection, keys, progress, prefix, fromRevision, listener });
    this.#watches.add(watch);
    return {
      requestProgress: () => watch.requestProgress(),
      [Symbol.dispose]: () => {
        this.#watches.delete(watch);
        watch[Symbol.dispose]();
      },
    };
  }

  currentRevision(): Promise<Revision> {
    return this.#progress.currentRevision();
  }

  /** After an unclear failure another lease is granted: an unused one expires by itself. */
  async grantLease(ttlSeconds: number): Promise<Lease> {
    const grant = async () => {
      const request = { ttl: ttlSeconds, id: 1 + randomInt(leaseIds) };
      const { id = 0, ttl = ttlSeconds } = await this.#connection.call(methods.leaseGrant, request, 'fail');
      return { id, ttlSeconds: ttl };
    };
    return await grant().catch((error: unknown) => {
      if (isDoubtful(error)) return grant();
      throw error;
    });
  }

  async revokeLease(id: LeaseId): Promise<void> {
    await this.#connection.call(methods.leaseRevoke, { id });
  }

  async sizeBytes(): Promise<number | undefined> {
    return (await this.#connection.call(methods.status, {})).dbSize;
  }

  async compact(revision: Revision): Promise<void> {
    await this.#connection.call(methods.compact, { revision, physical: true });
    this.#compactRevision = Math.max(this.#compactRevision, revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of this.#watches) watch[Symbol.dispose]();
    this.#connection[Symbol.dispose]();
  }

  async #range(request: RangeRequest) {
    try {
      return await this.#connection.call(methods.range, request);
    } catch (error) {
      if (!StoreError.is(error, 'Compacted') || this.#compactRevision === 0) throw error;
      throw new StoreError('Compacted', error.message, { cause: error, compactRevision: this.#compactRevision });
    }
  }
}
