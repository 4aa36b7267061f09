import { Fifo } from '@coracle/base';

/** Lets so many pulls go at the same time; the others wait for their turn. */
export class PullQueue {
  readonly #waiting = new Fifo<() => void>();
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(pull: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await pull();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
