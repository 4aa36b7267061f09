import type { WatchEvent } from '@coracle/apimachinery';
import { Fifo } from '@coracle/base';
import type { WatchSink } from '../resource-client.js';

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<WatchEvent<T>>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A pushed watch as an async iterable. Each loop opens its own watch, and leaving the loop closes it. Events wait in
 * memory if the loop is too slow.
 */
export function watchIterable<T>(open: (sink: WatchSink<T>) => Disposable): AsyncIterable<WatchEvent<T>> {
  return { [Symbol.asyncIterator]: () => new WatchIterator(open) };
}

class WatchIterator<T> implements AsyncIterator<WatchEvent<T>> {
  readonly #events = new Fifo<WatchEvent<T>>();
  /** Pending calls of `next`. Non-empty only while `#events` is empty. */
  readonly #waiters = new Fifo<Waiter<T>>();
  readonly #watch: Disposable;
  #ended = false;
  #error: unknown;

  constructor(open: (sink: WatchSink<T>) => Disposable) {
    this.#watch = open({ event: (event) => this.#push(event), end: (error) => this.#end(error) });
  }

  next(): Promise<IteratorResult<WatchEvent<T>>> {
    const value = this.#events.shift();
    if (value) return Promise.resolve({ value, done: false });
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (this.#ended) this.#settle();
    });
  }

  return(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#watch[Symbol.dispose]();
    this.#events.clear();
    this.#end(undefined);
    return Promise.resolve({ value: undefined, done: true });
  }

  #push(value: WatchEvent<T>): void {
    const waiter = this.#waiters.shift();
    if (waiter) waiter.resolve({ value, done: false });
    else this.#events.push(value);
  }

  #end(error: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#settle();
  }

  /** The error is thrown once; later calls return the end. */
  #settle(): void {
    for (let waiter = this.#waiters.shift(); waiter; waiter = this.#waiters.shift()) {
      const error = this.#error;
      this.#error = undefined;
      if (error === undefined) waiter.resolve({ value: undefined, done: true });
      else waiter.reject(error);
    }
  }
}
