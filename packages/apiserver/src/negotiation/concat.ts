const encoder = new TextEncoder();

/** Concatenates many small byte strings into a few large ones. */
export class ChunkBuilder {
  readonly #chunkSize: number;
  readonly #chunks: Uint8Array[] = [];
  #current: Uint8Array | undefined;
  #used = 0;
  /** End of the used part of the current chunk. */
  #listed = 0;

  constructor(chunkSize: number = 1 << 18) {
    this.#chunkSize = chunkSize;
  }

  add(bytes: Uint8Array): void {
    if (!this.#current || this.#used + bytes.length > this.#current.length) this.#flush(bytes.length);
    const current = this.#current as Uint8Array;
    current.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  addText(text: string): void {
    // UTF-8 takes at most three bytes for each UTF-16 code unit.
    const room = text.length * 3;
    if (!this.#current || this.#used + room > this.#current.length) this.#flush(room);
    const target = (this.#current as Uint8Array).subarray(this.#used, this.#used + room);
    this.#used += encoder.encodeInto(text, target).written;
  }

  /** Adds immutable bytes as a chunk of their own, without a copy. */
  addShared(bytes: Uint8Array): void {
    this.#list();
    this.#chunks.push(bytes);
  }

  finish(): Uint8Array[] {
    this.#list();
    this.#current = undefined;
    return this.#chunks;
  }

  #flush(needed: number): void {
    this.#list();
    this.#current = new Uint8Array(Math.max(this.#chunkSize, needed));
    this.#used = 0;
    this.#listed = 0;
  }

  #list(): void {
    if (!this.#current || this.#used === this.#listed) return;
    this.#chunks.push(this.#current.subarray(this.#listed, this.#used));
    this.#listed = this.#used;
  }
}
