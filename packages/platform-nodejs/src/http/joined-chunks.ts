/** Joins small chunks into blocks: each write costs a TLS record and a system call. */
export class JoinedChunks {
  readonly #chunks: readonly Uint8Array[];
  #index = 0;
  /** Number of bytes of the chunk at the index that were consumed. */
  #offset = 0;

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks;
  }

  /** The next bytes, at most a block, copied into `block` unless one chunk has them all. None at the end. */
  next(block: Uint8Array): Uint8Array | undefined {
    let used = 0;
    let chunk = this.#chunks[this.#index];
    while (chunk) {
      const left = chunk.length - this.#offset;
      const room = block.length - used;
      if (used === 0 && left >= room) return this.#take(chunk, room);
      if (left > room) {
        block.set(this.#take(chunk, room), used);
        return block;
      }
      block.set(this.#offset === 0 ? chunk : chunk.subarray(this.#offset), used);
      used += left;
      this.#offset = 0;
      chunk = this.#chunks[++this.#index];
    }
    return used > 0 ? block.subarray(0, used) : undefined;
  }

  #take(chunk: Uint8Array, length: number): Uint8Array {
    const from = this.#offset;
    this.#offset += length;
    return chunk.subarray(from, this.#offset);
  }
}
