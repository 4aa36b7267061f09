import type { Clock } from '@coracle/base';
import type { Backend, BackendWrite } from '../backend.js';
import type { Lease, LeaseId } from '../store.js';
import {
  attachedKeyOf,
  attachmentRange,
  decodeNumber,
  encodeNumber,
  leaseIdOf,
  leaseKey,
  leaseRange,
  textKey,
} from './layout.js';

export interface LeasesOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Called when a lease's time is over. */
  readonly onExpired: (id: LeaseId) => void;
}

/** How long a store that could not delete an ended lease's keys waits before it tries again. */
const retryMs = 5_000;

const lastLeaseKey = textKey('m', 'lastLease');

/** Which leases there are and when they end. An instant is kept, not a span: time passes while the process is down. */
export class Leases {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #onExpired: (id: LeaseId) => void;
  readonly #timers = new Map<LeaseId, Disposable>();
  #lastId: LeaseId;
  #closed = false;

  constructor({ backend, clock, onExpired }: LeasesOptions) {
    this.#backend = backend;
    this.#clock = clock;
    this.#onExpired = onExpired;
    const lastId = backend.get(lastLeaseKey);
    this.#lastId = lastId ? decodeNumber(lastId) : 0;
    for (const [key, value] of backend.range(leaseRange.start, leaseRange.end)) {
      this.#arm(leaseIdOf(key), decodeNumber(value) - clock.now());
    }
  }

  has(id: LeaseId): boolean {
    return this.#timers.has(id);
  }

  /** A new lease, and what must be written for it. Its time runs from now. */
  grant(ttlSeconds: number): { readonly lease: Lease; readonly writes: readonly BackendWrite[] } {
    const id = ++this.#lastId;
    this.#arm(id, ttlSeconds * 1000);
    const endsAt = this.#clock.now() + ttlSeconds * 1000;
    const writes = [
      { key: leaseKey(id), value: encodeNumber(endsAt) },
      { key: lastLeaseKey, value: encodeNumber(id) },
    ];
    return { lease: { id, ttlSeconds }, writes };
  }

  /** Forgets a lease, and says what must be written for that. */
  revoke(id: LeaseId): readonly BackendWrite[] {
    this.#timers.get(id)?.[Symbol.dispose]();
    this.#timers.delete(id);
    return [{ key: leaseKey(id) }];
  }

  /** Brings a lease back whose revocation could not be written: it ends a little later. */
  restore(id: LeaseId): void {
    if (!this.#closed) this.#arm(id, retryMs);
  }

  /** Keys that were put under the lease, as far as that is durable. */
  *attached(id: LeaseId): Generator<string> {
    const { start, end } = attachmentRange(id);
    for (const [key] of this.#backend.range(start, end)) yield attachedKeyOf(key);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #arm(id: LeaseId, delayMs: number): void {
    this.#timers.set(
      id,
      this.#clock.schedule(Math.max(0, delayMs), () => this.#onExpired(id)),
    );
  }
}
