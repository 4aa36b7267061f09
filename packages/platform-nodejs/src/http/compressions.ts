import { availableParallelism } from 'node:os';
import { Fifo } from '@coracle/base';
import { type Compressor, gzipCompressor } from './gzip-compressor.js';
import type { JoinedChunks } from './joined-chunks.js';

/** What is used of an answer. */
export interface CompressedOutgoing {
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(bytes: Uint8Array): boolean;
  end(): unknown;
  destroy(error?: Error): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
}

export interface Compression {
  readonly outgoing: CompressedOutgoing;
  readonly chunks: JoinedChunks;
  /** Called when it may start, before anything is written. */
  readonly begin: () => void;
}

/** A compression that may start. */
interface Begun extends Compression {
  readonly compressor: Compressor;
}

/**
 * So much is compressed at a time. Putting it together takes the thread that serves requests some tens of microseconds;
 * the way to the thread that compresses it and back costs less than a tenth of the compression.
 */
export const inputBytes: number = 256 * 1024;
/** So much of a compressed answer may wait for its client. */
const inFlightBytes = 256 * 1024;

/**
 * Compresses large answers as fast as their clients read, few at a time. Threads that compress take the processor from
 * the one that serves requests, and the pool that they belong to from writes to the store: one processor stays free of
 * them where there are several. An answer that waits for its client leaves its place to the next.
 */
export class Compressions {
  readonly #compressor: typeof gzipCompressor;
  readonly #most: number;
  /** Those that have begun come before those that have not. */
  readonly #resumed = new Fifo<Begun>();
  readonly #waiting = new Fifo<Compression>();
  readonly #freeBlocks: Uint8Array[] = [];
  #running = 0;

  constructor(compressor: typeof gzipCompressor, most: number) {
    this.#compressor = compressor;
    this.#most = most;
  }

  /** What is not wanted any more when its turn comes is dropped. */
  add(compression: Compression): void {
    this.#waiting.push(compression);
    this.#fill();
  }

  #fill(): void {
    while (this.#running < this.#most) {
      const next = this.#resumed.shift() ?? this.#beginNext();
      if (!next) return;
      this.#running++;
      this.#compressBlock(next);
    }
  }

  #beginNext(): Begun | undefined {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { outgoing } = next;
      if (outgoing.destroyed) continue;
      const compressor = this.#compressor((bytes) => {
        if (!outgoing.destroyed) outgoing.write(bytes);
      });
      outgoing.once('close', () => compressor[Symbol.dispose]());
      next.begin();
      return { ...next, compressor };
    }
    return undefined;
  }

  #compressBlock(begun: Begun): void {
    const { outgoing, chunks, compressor } = begun;
    const block = this.#freeBlocks.pop() ?? Buffer.allocUnsafeSlow(inputBytes);
    const bytes = chunks.next(block);
    if (!bytes) {
      this.#freeBlocks.push(block);
      compressor.end((error) => {
        this.#leave();
        if (error) outgoing.destroy(error);
        else if (!outgoing.destroyed) outgoing.end();
      });
      return;
    }
    compressor.write(bytes, (error) => {
      this.#freeBlocks.push(block);
      if (!error && !outgoing.destroyed && outgoing.writableLength < inFlightBytes) {
        this.#compressBlock(begun);
        return;
      }
      if (error) outgoing.destroy(error);
      else if (!outgoing.destroyed) outgoing.once('drain', () => this.#resume(begun));
      this.#leave();
    });
  }

  #resume(begun: Begun): void {
    this.#resumed.push(begun);
    this.#fill();
  }

  #leave(): void {
    this.#running--;
    this.#fill();
  }
}

/** The pool of threads is that of the process. */
export const gzipCompressions = new Compressions(gzipCompressor, Math.max(1, availableParallelism() - 1));
