import { type KubeObject, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { Fifo } from '@coracle/base';

/**
 * Something that happened to an object, and its state after that (before it, for `Deleted`).
 *
 * `Replaced` comes from a new list: the object may have changed or not. `Sync` repeats the known state.
 * `stale` marks a deletion that was missed: the object is the last state that we saw.
 */
export interface Delta<T> {
  readonly type: 'Added' | 'Updated' | 'Replaced' | 'Sync' | 'Deleted';
  readonly object: T;
  readonly stale?: boolean;
}

/** The state of the consumer of the queue. */
export interface KnownObjects<T> {
  get(key: ObjectKey): T | undefined;
  keys(): Iterable<ObjectKey>;
}

/**
 * Everything that happened to each object since it was last handled, oldest first; objects in the order in which they
 * first had something happen to them.
 *
 * Changes are never merged, except that of two deletions in a row the more complete one remains.
 */
export class DeltaQueue<T extends KubeObject> {
  readonly #store: KnownObjects<T>;
  /** Each key of `#order` is a key of it, and each list has at least one delta. */
  readonly #deltas = new Map<ObjectKey, Delta<T>[]>();
  readonly #order = new Fifo<ObjectKey>();
  #populated = false;
  /** Keys of the first `replace` that have not been popped yet. */
  #initialLeft = 0;

  constructor(store: KnownObjects<T>) {
    this.#store = store;
  }

  get size(): number {
    return this.#order.size;
  }

  /** Whether everything of the first `replace` has been handled. */
  get hasSynced(): boolean {
    return this.#populated && this.#initialLeft === 0;
  }

  add(object: T): void {
    this.#populated = true;
    this.#push(keyOf(object), { type: 'Added', object });
  }

  update(object: T): void {
    this.#populated = true;
    this.#push(keyOf(object), { type: 'Updated', object });
  }

  /** Ignored for an object that neither the consumer nor the queue has. */
  delete(object: T): void {
    this.#populated = true;
    const key = keyOf(object);
    if (this.#deltas.has(key) || this.#store.get(key)) this.#push(key, { type: 'Deleted', object });
  }

  /** The complete list of objects. A known object that is not in it was deleted while the watch was interrupted. */
  replace(objects: readonly T[]): void {
    const present = new Set<ObjectKey>();
    for (const object of objects) {
      const key = keyOf(object);
      present.add(key);
      this.#push(key, { type: 'Replaced', object });
    }
    const gone = this.#deleteAllBut(present);
    if (this.#populated) return;
    this.#populated = true;
    this.#initialLeft = present.size + gone;
  }

  /** Repeats all objects of the consumer, except those with queued changes. */
  resync(): void {
    for (const key of this.#store.keys()) {
      const object = this.#store.get(key);
      if (object && !this.#deltas.has(key)) this.#push(key, { type: 'Sync', object });
    }
  }

  /** Passes the oldest object's deltas to `handle`. False if there are none. */
  pop(handle: (deltas: readonly Delta<T>[], key: ObjectKey) => void): boolean {
    const key = this.#order.shift();
    if (key === undefined) return false;
    const deltas = this.#deltas.get(key) ?? [];
    this.#deltas.delete(key);
    if (this.#initialLeft > 0) this.#initialLeft--;
    handle(deltas, key);
    return true;
  }

  #deleteAllBut(present: ReadonlySet<ObjectKey>): number {
    let gone = 0;
    const missing = (key: ObjectKey, object: T | undefined) => {
      if (!object || present.has(key)) return;
      gone++;
      this.#push(key, { type: 'Deleted', object, stale: true });
    };
    // Queued changes are newer than the consumer's state.
    for (const [key, deltas] of [...this.#deltas]) {
      const newest = deltas[deltas.length - 1];
      if (newest?.type !== 'Deleted') missing(key, newest?.object);
    }
    for (const key of this.#store.keys()) if (!this.#deltas.has(key)) missing(key, this.#store.get(key));
    return gone;
  }

  #push(key: ObjectKey, delta: Delta<T>): void {
    const deltas = this.#deltas.get(key);
    if (!deltas) {
      this.#deltas.set(key, [delta]);
      this.#order.push(key);
      return;
    }
    const newest = deltas[deltas.length - 1];
    // Adding the known state again would restore the deleted object.
    if (delta.type === 'Sync' && newest?.type === 'Deleted') return;
    if (delta.type !== 'Deleted' || newest?.type !== 'Deleted') deltas.push(delta);
    else if (newest.stale) deltas[deltas.length - 1] = delta;
  }
}
