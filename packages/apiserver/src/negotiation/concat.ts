const chunkSize = 1 << 18;

/** Puts many small byte strings together into few large ones. */
export class ChunkBuilder {
  readonly #chunks: Uint8Array[] = [];
  #current: Uint8Array | undefined;
  #used = 0;

  add(bytes: Uint8Array): void {
    if (!this.#current || this.#used + bytes.length > this.#current.length) this.#flush(bytes.length);
    const current = this.#current as Uint8Array;
    current.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  finish(): Uint8Array[] {
    if (this.#current && this.#used > 0) this.#chunks.push(this.#current.subarray(0, this.#used));
    this.#current = undefined;
    return this.#chunks;
  }

  #flush(needed: number): void {
    if (this.#current && this.#used > 0) this.#chunks.push(this.#current.subarray(0, this.#used));
    this.#current = new Uint8Array(Math.max(chunkSize, needed));
    this.#used = 0;
  }
}
