import { Heap } from '@coracle/base';
import type { QueueObserver } from './queue-observer.js';
import { FifoWorkQueue, type KeyOrder, type ShutDownOptions, type WorkQueue } from './work-queue.js';

interface Entry<Key> {
  readonly key: Key;
  readonly priority: number;
  /** Breaks ties: among equals, first in is first out. */
  readonly sequence: number;
}

/** Highest priority first, then in order. */
class PriorityOrder<Key> implements KeyOrder<Key> {
  /** A key whose priority was raised leaves its old entry behind, which `shift` skips. */
  readonly #heap = new Heap<Entry<Key>>((a, b) => b.priority - a.priority || a.sequence - b.sequence);
  /** The valid entry of each waiting key. */
  readonly #live = new Map<Key, Entry<Key>>();
  /** Priorities of keys that wait, or will wait once they are released. Removed when the key is taken. */
  readonly #priorities = new Map<Key, number>();
  #sequence = 0;

  get size(): number {
    return this.#live.size;
  }

  prefer(key: Key, priority: number): void {
    const current = this.#priorities.get(key);
    if (current !== undefined && current >= priority) return;
    this.#priorities.set(key, priority);
    if (this.#live.has(key)) this.push(key);
  }

  push(key: Key): void {
    const entry = { key, priority: this.#priorities.get(key) ?? 0, sequence: this.#sequence++ };
    this.#live.set(key, entry);
    this.#heap.push(entry);
  }

  shift(): Key | undefined {
    for (let entry = this.#heap.pop(); entry; entry = this.#heap.pop()) {
      if (this.#live.get(entry.key) !== entry) continue;
      this.#live.delete(entry.key);
      this.#priorities.delete(entry.key);
      return entry.key;
    }
    return undefined;
  }

  clear(): void {
    this.#live.clear();
    this.#priorities.clear();
  }
}

/** A work queue whose keys have priorities. Added twice before it is taken, a key has the higher of the two. */
export class PriorityWorkQueue<Key extends string> implements WorkQueue<Key> {
  readonly #order = new PriorityOrder<Key>();
  readonly #queue: FifoWorkQueue<Key>;

  constructor(options: { readonly observer?: QueueObserver<Key> } = {}) {
    this.#queue = new FifoWorkQueue({ ...options, order: this.#order });
  }

  get size(): number {
    return this.#queue.size;
  }

  add(key: Key, priority = 0): void {
    this.#order.prefer(key, priority);
    this.#queue.add(key);
  }

  take(): Promise<Key | undefined> {
    return this.#queue.take();
  }

  done(key: Key): void {
    this.#queue.done(key);
  }

  shutDown(options?: ShutDownOptions): Promise<void> {
    return this.#queue.shutDown(options);
  }
}
