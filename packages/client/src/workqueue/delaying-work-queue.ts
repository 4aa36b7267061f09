import { type Clock, Heap, type Millis, monotonicNow } from '@coracle/base';
import type { WorkQueue } from './work-queue.js';

interface Waiting<Key> {
  readonly key: Key;
  readonly readyAt: Millis;
  readonly priority: number | undefined;
}

/**
 * Adds keys to a queue later. If a key is added twice, the earlier time counts.
 *
 * However many keys wait, one timer is set: for the first of them.
 */
export class DelayingWorkQueue<Key extends string> implements Disposable {
  readonly #queue: WorkQueue<Key>;
  readonly #clock: Clock;
  readonly #heap = new Heap<Waiting<Key>>((a, b) => a.readyAt - b.readyAt);
  /** The valid entry of each key. The heap may contain outdated ones too, which are skipped. */
  readonly #earliest = new Map<Key, Waiting<Key>>();
  #timer: { readonly at: Millis; readonly handle: Disposable } | undefined;
  #disposed = false;

  constructor(deps: { readonly queue: WorkQueue<Key>; readonly clock: Clock }) {
    this.#queue = deps.queue;
    this.#clock = deps.clock;
  }

  /** Keys that wait for their time. */
  get size(): number {
    return this.#earliest.size;
  }

  addAfter(key: Key, delayMs: Millis, priority?: number): void {
    if (this.#disposed) return;
    if (delayMs <= 0) {
      this.#queue.add(key, priority);
      return;
    }
    const readyAt = monotonicNow(this.#clock) + delayMs;
    const current = this.#earliest.get(key);
    if (current && current.readyAt <= readyAt) return;
    const waiting = { key, readyAt, priority };
    this.#earliest.set(key, waiting);
    this.#heap.push(waiting);
    this.#arm();
  }

  /** Drops every key that is still waiting. Keys already in the queue stay. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#earliest.clear();
    this.#arm();
  }

  /** Sets the timer for the earliest key, and clears it when there is none. */
  #arm(): void {
    const first = this.#first();
    if (this.#timer && this.#timer.at === first?.readyAt) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = first && {
      at: first.readyAt,
      handle: this.#clock.schedule(first.readyAt - monotonicNow(this.#clock), () => this.#release()),
    };
  }

  #release(): void {
    this.#timer = undefined;
    const now = monotonicNow(this.#clock);
    for (let first = this.#first(); first && first.readyAt <= now; first = this.#first()) {
      this.#heap.pop();
      this.#earliest.delete(first.key);
      this.#queue.add(first.key, first.priority);
    }
    this.#arm();
  }

  #first(): Waiting<Key> | undefined {
    let first = this.#heap.peek();
    while (first && this.#earliest.get(first.key) !== first) {
      this.#heap.pop();
      first = this.#heap.peek();
    }
    return first;
  }
}
