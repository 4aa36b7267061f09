const encoder = new TextEncoder();

export const WireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Builds a protobuf message from its end to its start, so that the length of a nested message is known when its header
 * is written. Fields are therefore written in descending order.
 */
export class WireWriter {
  #buffer: Uint8Array;
  #start: number;

  constructor(capacity = 1024) {
    this.#buffer = new Uint8Array(capacity);
    this.#start = capacity;
  }

  /** How many bytes have been written. The difference of two lengths is the size of what was written between. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** The written bytes. Shares memory with the writer, which must not be used any more. */
  finish(): Uint8Array {
    return this.#buffer.subarray(this.#start);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** The header of field `number`, whose content was written since `length` was `before`. */
  header(number: number, before: number): void {
    this.varint(this.length - before);
    this.tag(number, WireType.bytes);
  }

  /** A whole number up to 2^53 in size. Negative ones take ten bytes, as protobuf's int32 and int64 do. */
  varint(value: number): void {
    if (value >= 0 && value < 128) {
      this.#reserve(1);
      this.#buffer[--this.#start] = value;
      return;
    }
    this.#reserve(10);
    if (value < 0) this.int64(BigInt(value));
    else this.#positiveVarint(value);
  }

  int64(value: number | bigint): void {
    if (typeof value === 'number') this.varint(value);
    else {
      this.#reserve(10);
      let rest = BigInt.asUintN(64, value);
      let size = 1;
      for (let more = rest >> 7n; more > 0n; more >>= 7n) size++;
      this.#start -= size;
      for (let i = 0; i < size; i++, rest >>= 7n)
        this.#buffer[this.#start + i] = Number(rest & 127n) | (i < size - 1 ? 128 : 0);
    }
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    new DataView(this.#buffer.buffer, this.#buffer.byteOffset + this.#start, 8).setFloat64(0, value, true);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#buffer.set(bytes, this.#start);
  }

  /** The text's UTF-8 bytes, without a length. */
  text(text: string): void {
    this.#reserve(text.length);
    let at = this.#start;
    for (let i = text.length - 1; i >= 0; i--) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        this.raw(encoder.encode(text));
        return;
      }
      this.#buffer[--at] = code;
    }
    this.#start = at;
  }

  #positiveVarint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#start -= size;
    let at = this.#start;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) + 128;
    this.#buffer[at] = rest;
  }

  #reserve(size: number): void {
    if (size <= this.#start) return;
    const used = this.length;
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, used + size));
    grown.set(this.#buffer.subarray(this.#start), grown.length - used);
    this.#start = grown.length - used;
    this.#buffer = grown;
  }
}
