const blockBytes = 64 * 1024;

/**
 * Copies of values that LMDB writes asynchronously, in large blocks. LMDB looks up the buffer of each value and its
 * address, which costs more than the copy: here many values share one buffer.
 */
export class ValueArena {
  #block = new Uint8Array(0);
  #used = 0;

  /** The copy lives as long as it is referenced. */
  copy(value: Uint8Array): Uint8Array {
    const { length } = value;
    if (this.#used + length > this.#block.length) {
      this.#block = new Uint8Array(Math.max(blockBytes, length));
      this.#used = 0;
    }
    const copy = this.#block.subarray(this.#used, this.#used + length);
    copy.set(value);
    this.#used += length;
    return copy;
  }
}
