const chunkSize = 1 << 18;
const encoder = new TextEncoder();

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

  addText(text: string): void {
    // UTF-8 takes at most three bytes for each unit of the text.
    const room = text.length * 3;
    if (!this.#current || this.#used + room > this.#current.length) this.#flush(room);
    const target = (this.#current as Uint8Array).subarray(this.#used, this.#used + room);
    this.#used += encoder.encodeInto(text, target).written;
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
