import { type Clock, type Millis, monotonicNow } from '@coracle/base';
import type { LeaseId, Store } from '@coracle/store';

/** A lease is used for new keys for this fraction of its TTL, and for a minute at most. */
const reuseShare = 0.05;
const longestReuseMs: Millis = 60_000;

/** Leases for keys that expire, shared by keys that are written within a short time. */
export class SharedLeases {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #current = new Map<number, { readonly id: Promise<LeaseId>; readonly until: Millis }>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A lease under which a key lives for `ttlSeconds` at least. */
  async forTtl(ttlSeconds: number): Promise<LeaseId> {
    const now = monotonicNow(this.#clock);
    const current = this.#current.get(ttlSeconds);
    if (current && now < current.until) return await current.id;
    const reuseMs = Math.min(ttlSeconds * 1000 * reuseShare, longestReuseMs);
    const id = this.#store.grantLease(ttlSeconds + Math.ceil(reuseMs / 1000)).then((lease) => lease.id);
    this.#current.set(ttlSeconds, { id, until: now + reuseMs });
    id.catch(() => this.#current.delete(ttlSeconds));
    return await id;
  }

  /** The store has it no longer: another client may have revoked it. */
  async forget(ttlSeconds: number, id: LeaseId): Promise<void> {
    const current = this.#current.get(ttlSeconds);
    if (current && (await current.id.catch(() => undefined)) === id) this.#current.delete(ttlSeconds);
  }
}
