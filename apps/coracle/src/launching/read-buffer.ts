import { readSync } from 'node:fs';

/**
 * One buffer for everything that is read at the start: a program reads megabytes of chunks and of compiled code before
 * memory is collected for the first time.
 */
export class ReadBuffer {
  #bytes = Buffer.alloc(0);

  /** Makes room for reads of so many bytes, so that the buffer does not grow step by step. */
  reserve(length: number): void {
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafe(length);
  }

  /** Valid until the next read. Shorter than `length` if the file ends before. */
  read(descriptor: number, position: number, length: number): Buffer {
    this.reserve(length);
    return this.#bytes.subarray(0, readSync(descriptor, this.#bytes, 0, length, position));
  }
}
