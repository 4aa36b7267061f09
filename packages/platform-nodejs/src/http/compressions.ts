import { availableParallelism } from 'node:os';
import { gzip } from 'node:zlib';
import { Fifo } from '@coracle/base';

type Done = (error: Error | null, compressed: Uint8Array) => void;
type Compress = (bytes: Uint8Array, done: Done) => void;

interface Compression {
  /** Not joined before its turn comes: large answers that wait take no memory twice. */
  readonly bytes: () => Uint8Array;
  readonly isWanted: () => boolean;
  readonly done: Done;
}

/**
 * Compresses large answers, few at a time. Threads that compress take the processor from the one that serves requests,
 * and the pool that they belong to from writes to the store: one processor stays free of them where there are several.
 */
export class Compressions {
  readonly #compress: Compress;
  readonly #most: number;
  readonly #waiting = new Fifo<Compression>();
  #running = 0;

  constructor(compress: Compress, most: number) {
    this.#compress = compress;
    this.#most = most;
  }

  /** What is not wanted any more when its turn comes is dropped. */
  add(compression: Compression): void {
    this.#waiting.push(compression);
    this.#begin();
  }

  #begin(): void {
    while (this.#running < this.#most) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (!next.isWanted()) continue;
      this.#running++;
      this.#compress(next.bytes(), (error, compressed) => {
        this.#running--;
        this.#begin();
        next.done(error, compressed);
      });
    }
  }
}

/** The fastest level, as kube-apiserver uses it. The pool of threads is that of the process. */
export const gzipCompressions = new Compressions(
  (bytes, done) => gzip(bytes, { level: 1 }, done),
  Math.max(1, availableParallelism() - 1),
);
