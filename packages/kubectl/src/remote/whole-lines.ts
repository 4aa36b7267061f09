const newline = 10;

/**
 * Writes whole lines, each in one write and with a prefix, so that lines of several streams do not mix. The last line
 * may have no line break. Bytes are not decoded, because a character may be split between two chunks.
 */
export class WholeLines {
  readonly #prefix: Uint8Array;
  readonly #write: (bytes: Uint8Array) => void;
  #rest: Uint8Array[] = [];

  constructor(prefix: string, write: (bytes: Uint8Array) => void) {
    this.#prefix = new TextEncoder().encode(prefix);
    this.#write = write;
  }

  write(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#writeLine([...this.#rest, chunk.subarray(from, end + 1)]);
      this.#rest = [];
      from = end + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.slice(from));
  }

  end(): void {
    if (this.#rest.length > 0) this.#writeLine(this.#rest);
    this.#rest = [];
  }

  #writeLine(parts: readonly Uint8Array[]): void {
    const line = new Uint8Array(parts.reduce((sum, part) => sum + part.length, this.#prefix.length));
    line.set(this.#prefix);
    let at = this.#prefix.length;
    for (const part of parts) {
      line.set(part, at);
      at += part.length;
    }
    this.#write(line);
  }
}
