import { Fifo } from '../collections/fifo.js';

/** Written from one side, looped over from the other. One reader. */
export class Pipe<T> implements AsyncIterable<T> {
  readonly #items = new Fifo<T>();
  readonly #weigh: (item: T) => number;
  #unread = 0;
  #end: { readonly error: unknown } | undefined;
  #wake = () => {};

  /** Items weigh one each unless stated. */
  constructor(weigh: (item: T) => number = () => 1) {
    this.#weigh = weigh;
  }

  /** Size of the data that was written and not read. */
  get unread(): number {
    return this.#unread;
  }

  /** After the end no more data is accepted. */
  write(item: T): void {
    if (this.#end) return;
    this.#items.push(item);
    this.#unread += this.#weigh(item);
    this.#wake();
  }

  /** The reader receives the written data, then the error if there is one. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  throwIfFailed(): void {
    if (this.#end?.error !== undefined) throw this.#end.error;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      while (this.#items.size > 0) {
        const item = this.#items.shift() as T;
        this.#unread -= this.#weigh(item);
        yield item;
      }
      if (this.#end) return this.throwIfFailed();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
