import { Deferred, Fifo } from '@coracle/base';
import { type QueueObserver, unobserved } from './queue-observer.js';

/**
 * A queue of keys whose objects need attention.
 *
 * - Fair: keys are handed out in the order they were first added.
 * - Stingy: a key added many times before it is taken is handed out once.
 * - Exclusive: a key is held by one worker at a time. Added while it is held,
 *   it is handed out again after `done`.
 *
 * Keys are strings because a JavaScript `Set` compares objects by identity:
 * two equal `{namespace, name}` literals would count as two items.
 */
export interface WorkQueue<Key extends string> {
  /** Keys waiting to be taken. For metrics only; never branch on it. */
  readonly size: number;

  /** Marks `key` as needing work. Ignored once the queue is shut down. A queue without priorities ignores them. */
  add(key: Key, priority?: number): void;

  /** Waits for a key. Resolves to `undefined` when shut down and empty. */
  take(): Promise<Key | undefined>;

  /** Releases a taken key. Call it in `finally`, whatever the work's outcome. */
  done(key: Key): void;

  /** Refuses new keys, and with `discard` drops those not yet taken. Resolves when every queued and held key is done. */
  shutDown(options?: ShutDownOptions): Promise<void>;
}

export interface ShutDownOptions {
  readonly discard?: boolean;
}

/** The order in which keys are handed out. A key is in it at most once. */
export interface KeyOrder<Key> {
  readonly size: number;
  push(key: Key): void;
  shift(): Key | undefined;
  clear(): void;
}

export class FifoWorkQueue<Key extends string> implements WorkQueue<Key> {
  /** Hand-out order. Every key in it is dirty and not held. */
  readonly #order: KeyOrder<Key>;

  /** Keys that need work, whether queued or added again while held. */
  readonly #dirty = new Set<Key>();

  /** Keys that a worker has taken and not yet released. */
  readonly #held = new Set<Key>();

  /** Workers waiting in `take`. Non-empty only while `#order` is empty. */
  readonly #takers = new Fifo<(key: Key | undefined) => void>();

  readonly #idle = new Deferred<void>();
  readonly #observer: QueueObserver<Key>;
  #shutDown = false;

  constructor(options: { readonly observer?: QueueObserver<Key>; readonly order?: KeyOrder<Key> } = {}) {
    this.#observer = options.observer ?? unobserved;
    this.#order = options.order ?? new Fifo<Key>();
  }

  get size(): number {
    return this.#order.size;
  }

  add(key: Key): void {
    if (this.#shutDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    this.#observer.added(key);
    if (!this.#held.has(key)) this.#enqueue(key);
  }

  async take(): Promise<Key | undefined> {
    if (this.#order.size > 0) return this.#hold();
    if (this.#shutDown) return undefined;
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: Key): void {
    if (this.#held.delete(key)) this.#observer.done(key);
    if (this.#dirty.has(key)) this.#enqueue(key);
    this.#settleIfIdle();
  }

  shutDown({ discard = false }: ShutDownOptions = {}): Promise<void> {
    this.#shutDown = true;
    if (discard) {
      this.#order.clear();
      this.#dirty.clear();
    }
    // Takers wait only while nothing is queued, so none of them has work to lose.
    for (let taker = this.#takers.shift(); taker; taker = this.#takers.shift()) taker(undefined);
    this.#settleIfIdle();
    return this.#idle.promise;
  }

  #enqueue(key: Key): void {
    this.#order.push(key);
    const taker = this.#takers.shift();
    if (taker) taker(this.#hold());
  }

  #hold(): Key | undefined {
    const key = this.#order.shift();
    if (key === undefined) return undefined;
    this.#dirty.delete(key);
    this.#held.add(key);
    this.#observer.taken(key);
    return key;
  }

  #settleIfIdle(): void {
    if (this.#shutDown && this.#order.size === 0 && this.#held.size === 0) this.#idle.resolve();
  }
}
