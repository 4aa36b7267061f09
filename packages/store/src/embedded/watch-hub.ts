import type { StoreEvent, WatchListener } from '../store.js';

/** Receives writes under a prefix, and has received all earlier ones. */
export interface Subscriber {
  readonly prefix: string;
  /** Events before this revision are not for it. */
  readonly fromRevision: number;
  readonly listener: WatchListener;
}

/**
 * Delivers events to the watches of their prefix.
 *
 * Subscribers are found by the key: one look-up in a map for each length of a watched prefix. So the cost of a write
 * does not depend on the number of watches of other prefixes.
 */
export class WatchHub {
  /** Length of the prefix → prefix → its watches. */
  readonly #byLength = new Map<number, Map<string, Set<Subscriber>>>();

  add(subscriber: Subscriber): void {
    const { prefix } = subscriber;
    const byPrefix = this.#byLength.get(prefix.length) ?? new Map<string, Set<Subscriber>>();
    const subscribers = byPrefix.get(prefix) ?? new Set<Subscriber>();
    this.#byLength.set(prefix.length, byPrefix.set(prefix, subscribers.add(subscriber)));
  }

  delete(subscriber: Subscriber): void {
    const { prefix } = subscriber;
    const byPrefix = this.#byLength.get(prefix.length);
    const subscribers = byPrefix?.get(prefix);
    if (!byPrefix || !subscribers?.delete(subscriber) || subscribers.size > 0) return;
    byPrefix.delete(prefix);
    if (byPrefix.size === 0) this.#byLength.delete(prefix.length);
  }

  clear(): void {
    this.#byLength.clear();
  }

  /** Sends each subscriber its events in one call. They are in order, and complete revisions. */
  publish(events: readonly StoreEvent[], revision: number): void {
    const shares = new Map<Subscriber, StoreEvent[]>();
    for (const event of events) this.#share(event, shares);
    for (const [{ listener }, share] of shares) listener.onEvents(share, revision);
  }

  #share(event: StoreEvent, shares: Map<Subscriber, StoreEvent[]>): void {
    const { key, modRevision } = event.keyValue;
    for (const [length, byPrefix] of this.#byLength) {
      if (length > key.length) continue;
      for (const subscriber of byPrefix.get(key.slice(0, length)) ?? []) {
        if (modRevision < subscriber.fromRevision) continue;
        const share = shares.get(subscriber);
        if (share) share.push(event);
        else shares.set(subscriber, [event]);
      }
    }
  }
}
