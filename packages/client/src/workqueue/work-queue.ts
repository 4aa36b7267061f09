import { Deferred, Fifo } from '@coracle/base';
import { type QueueObserver, unobserved } from './queue-observer.js';

/**
 * A queue of keys whose objects need attention.
 *
 * - Fair: keys are handed out in the order they were first added.
 * - Deduplicating: a key added many times before it is taken is handed out once.
 * - Exclusive: a key is held by one worker at a time. Added while it is held, it is handed out again after `done`.
 *
 * Keys are strings because a JavaScript `Set` compares objects by identity: two equal `{namespace, name}` literals
 * would count as two items.
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

  /**
   * Rejects new keys, and with `discard` drops those not yet taken. Resolves when every queued and held key is done.
   */
  shutDown(options?: ShutDownOptions): Promise<void>;
}

/** Whether queued keys are drained or dropped at the end. */
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

/** The state of a key. A key in none of these states needs no work. */
type KeyState = 'queued' | 'held' | 'held and added again';

/** The basic work queue: keys in the order in which they were added. */
export class FifoWorkQueue<Key extends string> implements WorkQueue<Key> {
  /** Exactly one state for each key that needs work or is worked on. One map, because it is looked at five times a key. */
  readonly #states = new Map<Key, KeyState>();

  /** In order: exactly the keys that are queued. */
  readonly #order: KeyOrder<Key>;

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
    const state = this.#states.get(key);
    if (this.#shutDown || state === 'queued' || state === 'held and added again') return;
    this.#observer.added(key);
    if (state === 'held') this.#states.set(key, 'held and added again');
    else this.#enqueue(key);
  }

  async take(): Promise<Key | undefined> {
    if (this.#order.size > 0) return this.#hold();
    if (this.#shutDown) return undefined;
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: Key): void {
    const state = this.#states.get(key);
    if (state !== 'held' && state !== 'held and added again') return;
    this.#observer.done(key);
    if (state === 'held') this.#states.delete(key);
    else this.#enqueue(key);
    this.#settleIfIdle();
  }

  shutDown({ discard = false }: ShutDownOptions = {}): Promise<void> {
    this.#shutDown = true;
    if (discard) this.#discard();
    // Workers wait only while the queue is empty, so none of them has a key to lose.
    for (let taker = this.#takers.shift(); taker; taker = this.#takers.shift()) taker(undefined);
    this.#settleIfIdle();
    return this.#idle.promise;
  }

  #enqueue(key: Key): void {
    this.#states.set(key, 'queued');
    this.#order.push(key);
    const taker = this.#takers.shift();
    if (taker) taker(this.#hold());
  }

  #hold(): Key | undefined {
    const key = this.#order.shift();
    if (key === undefined) return undefined;
    this.#states.set(key, 'held');
    this.#observer.taken(key);
    return key;
  }

  /** Leaves only what is worked on, once. */
  #discard(): void {
    this.#order.clear();
    for (const [key, state] of this.#states) {
      if (state === 'queued') this.#states.delete(key);
      else this.#states.set(key, 'held');
    }
  }

  #settleIfIdle(): void {
    if (this.#shutDown && this.#states.size === 0) this.#idle.resolve();
  }
}
