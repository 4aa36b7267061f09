import type { Clock } from '@coracle/base';
import type { Backend, BackendWrite } from '../backend.js';
import type { Lease, LeaseId } from '../store.js';
import type { History } from './history.js';
import {
  attachedKeyOf,
  attachmentRange,
  decodeLease,
  decodeNumber,
  encodeLease,
  encodeNumber,
  type LeaseRecord,
  leaseIdOf,
  leaseKey,
  leaseRange,
  textKey,
} from './layout.js';

export interface LeasesOptions {
  readonly backend: Backend;
  readonly history: History;
  readonly clock: Clock;
  /** Called when a lease's time is over. */
  readonly onExpired: (id: LeaseId) => void;
}

/** Retry interval if the keys of an expired lease could not be deleted. */
const retryMs = 5_000;

const lastLeaseKey = textKey('m', 'lastLease');

interface LeaseState {
  record: LeaseRecord;
  timer: Disposable;
}

/**
 * The leases and when they expire. An instant is stored, not a duration: time passes while the process is down.
 *
 * Which keys were put under a lease is read from the log: keys that share one are written shortly one after the other,
 * so that a few records hold them all, and an entry for each would take a tenth of a database of events.
 */
export class Leases {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #onExpired: (id: LeaseId) => void;
  readonly #history: History;
  readonly #leases = new Map<LeaseId, LeaseState>();
  /** Leases whose revocation is in progress. */
  readonly #revoked = new Map<LeaseId, LeaseRecord>();
  #lastId: LeaseId;
  #closed = false;

  constructor({ backend, history, clock, onExpired }: LeasesOptions) {
    this.#backend = backend;
    this.#history = history;
    this.#clock = clock;
    this.#onExpired = onExpired;
    const lastId = backend.get(lastLeaseKey);
    this.#lastId = lastId ? decodeNumber(lastId) : 0;
    for (const [key, value] of backend.range(leaseRange.start, leaseRange.end)) {
      const record = decodeLease(value);
      this.#arm(leaseIdOf(key), record, record.endsAt - clock.now());
    }
  }

  has(id: LeaseId): boolean {
    return this.#leases.has(id);
  }

  /** Grants a lease, and returns the records to write. Its TTL starts now. */
  grant(ttlSeconds: number): { readonly lease: Lease; readonly writes: readonly BackendWrite[] } {
    const id = ++this.#lastId;
    const record = { endsAt: this.#clock.now() + ttlSeconds * 1000, from: 0, to: 0 };
    this.#arm(id, record, ttlSeconds * 1000);
    const writes = [
      { key: leaseKey(id), value: encodeLease(record) },
      { key: lastLeaseKey, value: encodeNumber(id) },
    ];
    return { lease: { id, ttlSeconds }, writes };
  }

  /** Attaches keys to leases at `revision`; returns the records to write with them. */
  attach(ids: readonly LeaseId[], revision: number): readonly BackendWrite[] {
    if (ids.length === 0) return [];
    const writes: BackendWrite[] = [];
    for (const id of new Set(ids)) {
      const lease = this.#leases.get(id);
      if (!lease) continue;
      lease.record = { ...lease.record, from: lease.record.from || revision, to: revision };
      writes.push({ key: leaseKey(id), value: encodeLease(lease.record) });
    }
    return writes;
  }

  /** Removes a lease, and returns the records to write. */
  revoke(id: LeaseId): readonly BackendWrite[] {
    const lease = this.#leases.get(id);
    lease?.timer[Symbol.dispose]();
    this.#leases.delete(id);
    if (lease) this.#revoked.set(id, lease.record);
    const { start, end } = attachmentRange(id);
    const old = Array.from(this.#backend.range(start, end), ([key]) => ({ key }));
    return [{ key: leaseKey(id) }, ...old];
  }

  /**
   * Restores a lease whose revocation could not be written: it ends at its time, or shortly after if that has passed.
   */
  restore(id: LeaseId): void {
    const record = this.#revoked.get(id);
    this.#revoked.delete(id);
    if (record && !this.#closed) this.#arm(id, record, Math.max(retryMs, record.endsAt - this.#clock.now()));
  }

  /** The revocation is durable. */
  forget(id: LeaseId): void {
    this.#revoked.delete(id);
  }

  /** Keys that were put under the lease, and perhaps others, as far as that is durable. */
  *attached(id: LeaseId): Generator<string> {
    const { start, end } = attachmentRange(id);
    for (const [key] of this.#backend.range(start, end)) yield attachedKeyOf(key);
    const { from, to } = this.#leases.get(id)?.record ?? { from: 0, to: 0 };
    if (from === 0) return;
    for (const [, { key, put }] of this.#history.remaining(from, to + 1)) if (put?.lease === id) yield key;
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#leases.values()) timer[Symbol.dispose]();
    this.#leases.clear();
  }

  #arm(id: LeaseId, record: LeaseRecord, delayMs: number): void {
    const timer = this.#clock.schedule(Math.max(0, delayMs), () => this.#onExpired(id));
    this.#leases.set(id, { record, timer });
  }
}
