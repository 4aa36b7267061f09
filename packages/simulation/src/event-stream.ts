import { Fifo } from '@coracle/base';

/** Events are delivered to all current readers, in order. */
export class EventStream<T> {
  readonly #readers = new Set<Reader<T>>();

  get read(): boolean {
    return this.#readers.size > 0;
  }

  publish(event: T): void {
    for (const reader of this.#readers) reader.push(event);
  }

  /** From the call on, until `signal` aborts or the reader leaves. */
  open(signal?: AbortSignal): AsyncIterable<T> {
    const reader = new Reader<T>();
    this.#readers.add(reader);
    const close = () => {
      this.#readers.delete(reader);
      reader.close();
    };
    if (signal?.aborted) close();
    signal?.addEventListener('abort', close, { once: true });
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => reader.next(),
        return: () => {
          signal?.removeEventListener('abort', close);
          close();
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
  }
}

class Reader<T> {
  readonly #waiting = new Fifo<T>();
  #taker: ((result: IteratorResult<T>) => void) | undefined;
  #closed = false;

  push(value: T): void {
    const taker = this.#taker;
    this.#taker = undefined;
    if (taker) taker({ done: false, value });
    else this.#waiting.push(value);
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  close(): void {
    this.#closed = true;
    this.#taker?.({ done: true, value: undefined });
    this.#taker = undefined;
  }
}
