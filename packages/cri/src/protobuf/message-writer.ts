const encoder = new TextEncoder();

/** Writes one message in protocol buffers' wire format. */
export class MessageWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Negative numbers take ten bytes, as two's complements of 64 bits. */
  varint(value: number): void {
    if (value < 0 || !Number.isSafeInteger(value)) {
      this.#longVarint(BigInt.asUintN(64, BigInt(Math.trunc(value))));
      return;
    }
    this.#reserve(10);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  double(value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** With its length before it. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  text(value: string): void {
    this.bytes(encoder.encode(value));
  }

  #longVarint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
