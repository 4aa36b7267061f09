import { messageOf, nextTurn } from '@coracle/base';
import { guardListener } from '../guard-listener.js';
import type { StoreEvent, StoreWatch, WatchListener } from '../store.js';
import { StoreError } from '../store-error.js';
import type { History } from './history.js';
import type { Subscriber, WatchHub } from './watch-hub.js';

/** The parts of the store that a watch needs. */
export interface WatchedStore {
  readonly history: History;
  readonly hub: WatchHub;
  /** Everything up to this one is durable. */
  readonly revision: number;
  /** Revisions before this one are compacted. */
  readonly compactRevision: number;
  readonly closed: boolean;
}

export interface WatchOptions {
  readonly store: WatchedStore;
  readonly prefix: string;
  readonly fromRevision: number;
  readonly listener: WatchListener;
}

/** Number of records read at a time while a watch catches up, so that others are not delayed. */
const chunk = 1000;

/**
 * One watch of the embedded store: reads the log up to the present, then joins the hub. It joins in the same turn as it
 * has read the last record, so that no event is lost in between.
 */
export class EmbeddedWatch implements StoreWatch {
  readonly #store: WatchedStore;
  readonly #subscriber: Subscriber;
  #disposed = false;
  #live = false;
  #progressWanted = false;

  constructor({ store, prefix, fromRevision, listener }: WatchOptions) {
    this.#store = store;
    this.#subscriber = { prefix, fromRevision, listener: guardListener(listener, () => this[Symbol.dispose]()) };
    if (fromRevision > store.revision) this.#join();
    else void this.#catchUp(fromRevision).catch((error) => this.#fail(error));
  }

  requestProgress(): void {
    this.#progressWanted = true;
    // Never synchronously within the caller's call, because the caller may hold a lock.
    if (this.#live) void Promise.resolve().then(() => this.#tellProgress());
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#store.hub.delete(this.#subscriber);
  }

  get #ended(): boolean {
    return this.#disposed || this.#store.closed;
  }

  async #catchUp(fromRevision: number): Promise<void> {
    const { listener } = this.#subscriber;
    // The caller has its watch before the first event is delivered.
    await Promise.resolve();
    for (let from = fromRevision; !this.#ended; ) {
      const { compactRevision, revision } = this.#store;
      if (from < compactRevision) {
        this.#disposed = true;
        listener.onError(compacted(from, compactRevision));
        return;
      }
      if (from > revision) {
        this.#join();
        this.#tellProgress();
        return;
      }
      from = this.#tellPast(from, revision);
      if (from <= revision) await nextTurn();
    }
  }

  /** Delivers whole revisions from `from` on; returns the first that it has not delivered. */
  #tellPast(from: number, upTo: number): number {
    const { history } = this.#store;
    const { prefix, listener } = this.#subscriber;
    const events: StoreEvent[] = [];
    let read = 0;
    let last = from;
    for (const [position, record] of history.records(from, upTo + 1)) {
      if (read++ >= chunk && position.revision > last) {
        if (events.length > 0) listener.onEvents(events, last);
        return position.revision;
      }
      last = position.revision;
      if (record.key.startsWith(prefix)) events.push(history.event(position, record));
    }
    if (events.length > 0) listener.onEvents(events, upTo);
    return upTo + 1;
  }

  /** A record cannot be read: this watch ends, and its owner may start another one. */
  #fail(cause: unknown): void {
    if (this.#ended) return;
    this.#disposed = true;
    const error = new StoreError('Unavailable', `the log could not be read: ${messageOf(cause)}`, { cause });
    this.#subscriber.listener.onError(error);
  }

  #join(): void {
    this.#live = true;
    this.#store.hub.add(this.#subscriber);
  }

  #tellProgress(): void {
    if (!this.#progressWanted || this.#ended) return;
    this.#progressWanted = false;
    this.#subscriber.listener.onProgress?.(this.#store.revision);
  }
}

export function compacted(revision: number, compactRevision: number): StoreError {
  return new StoreError('Compacted', `revision ${revision} has been compacted; the oldest kept is ${compactRevision}`, {
    compactRevision,
  });
}
