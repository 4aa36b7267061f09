import { availableParallelism } from 'node:os';
import { Fifo } from '@coracle/base';
import { type Compressor, gzipCompressor } from './gzip-compressor.js';
import type { JoinedChunks } from './joined-chunks.js';

/** The part of a response that is used. */
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
 * Block size of compression. Assembling a block takes the main thread some tens of microseconds; passing it to another
 * thread and back costs less than a tenth of its compression.
 */
export const inputBytes: number = 256 * 1024;
/** Maximum amount of compressed data that waits for a client. */
const inFlightBytes = 256 * 1024;

/**
 * Compresses large answers as fast as their clients read, few at a time. Compressing threads compete with the main
 * thread for processors, and with writes to the store for the thread pool: one processor stays free if there are
 * several. A response that waits for its client releases its slot.
 */
export class Compressions {
  readonly #compressor: typeof gzipCompressor;
  readonly #most: number;
  /** Responses that have begun come before others. */
  readonly #resumed = new Fifo<Begun>();
  readonly #waiting = new Fifo<Compression>();
  readonly #freeBlocks: Uint8Array[] = [];
  #running = 0;

  constructor(compressor: typeof gzipCompressor, most: number) {
    this.#compressor = compressor;
    this.#most = most;
  }

  /** A response that is no longer needed when its turn comes is dropped. */
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

/** The thread pool is that of the process. */
export const gzipCompressions = new Compressions(gzipCompressor, Math.max(1, availableParallelism() - 1));
