import { type Int64, int64 } from '../int64.js';
import { badRequest, type StatusError } from '../status-error.js';
import { WireType } from './wire-writer.js';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
/**
 * Number of bytes that are decoded to text at once. Substrings keep the whole text in memory, so a long message is not
 * decoded as a whole.
 */
const windowBytes = 16_384;
/** Deeper nesting than any object has; it keeps hostile bytes from using up the stack. */
const maxDepth = 512;

/** Reads protobuf from untrusted bytes: whatever is wrong with them is a `StatusError` BadRequest. */
export class WireReader {
  readonly bytes: Uint8Array;
  position = 0;
  /** End of the message or value that is being read. */
  limit: number;
  /** Of the field whose number `field` gave last. */
  wireType = 0;
  #depth = 0;
  #window = '';
  #windowStart = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.limit = bytes.length;
  }

  /** The number of the next field; its wire type is in `wireType`. */
  field(): number {
    const tag = this.varint();
    this.wireType = tag & 7;
    if (tag < 8) throw malformed(`illegal tag ${tag}`);
    return tag >>> 3;
  }

  /** A whole number; values beyond 2^53 are rounded. */
  varint(): number {
    const first = this.#byte();
    if (first < 128) return first;
    let low = first & 127;
    let high = 0;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 28) low += (byte & 127) << shift;
      else high += (byte & 127) * 2 ** (shift - 28);
      if (byte < 128) return shift < 28 ? low : toInt64(low, high);
    }
    throw malformed('a number takes more than ten bytes');
  }

  /** An int64 with all its digits. */
  int64(): Int64 {
    const start = this.position;
    const value = this.varint();
    if (Number.isSafeInteger(value)) return value;
    let exact = 0n;
    for (let at = start; at < this.position; at++)
      exact |= BigInt((this.bytes[at] as number) & 127) << BigInt(7 * (at - start));
    return int64(BigInt.asIntN(64, exact));
  }

  /** Enters length-delimited content: the reader is limited to it until `leave` is called with the returned value. */
  enter(): number {
    if (++this.#depth > maxDepth) throw malformed('nested too deeply');
    const outer = this.limit;
    const length = this.varint();
    if (length < 0 || length > outer - this.position) throw malformed('unexpected end of data');
    this.limit = this.position + length;
    return outer;
  }

  leave(outer: number): void {
    if (this.position !== this.limit) throw malformed('a field reaches beyond its message');
    this.limit = outer;
    this.#depth--;
  }

  double(): number {
    const at = this.position;
    this.#advance(8);
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + at, 8).getFloat64(0, true);
  }

  /** What is left up to the limit, sharing memory with the message. */
  rest(): Uint8Array {
    const bytes = this.bytes.subarray(this.position, this.limit);
    this.position = this.limit;
    return bytes;
  }

  /** The same as text. Bytes that are not UTF-8 become U+FFFD, as they do when Go writes them as JSON. */
  restAsText(): string {
    const start = this.position;
    const end = this.limit;
    let at = start;
    while (at < end && (this.bytes[at] as number) < 128) at++;
    this.position = end;
    if (at < end || end - start > windowBytes) return utf8.decode(this.bytes.subarray(start, end));
    return this.#cut(start, end);
  }

  /** Length-delimited bytes. */
  slice(): Uint8Array {
    const outer = this.enter();
    const bytes = this.rest();
    this.leave(outer);
    return bytes;
  }

  /** Length-delimited text. */
  text(): string {
    const outer = this.enter();
    const text = this.restAsText();
    this.leave(outer);
    return text;
  }

  /** Skips the value of an unknown field. */
  skip(): void {
    if (this.wireType === WireType.varint) this.varint();
    else if (this.wireType === WireType.fixed64) this.#advance(8);
    else if (this.wireType === WireType.bytes) this.slice();
    else if (this.wireType === WireType.fixed32) this.#advance(4);
    else throw malformed(`illegal wire type ${this.wireType}`);
  }

  /** ASCII text. Making one long string and cutting it is several times faster than decoding many short ones. */
  #cut(start: number, end: number): string {
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) {
      this.#windowStart = start;
      this.#window = utf8.decode(withoutHighBits(this.bytes.subarray(start, start + windowBytes)));
    }
    return this.#window.slice(start - this.#windowStart, end - this.#windowStart);
  }

  #byte(): number {
    if (this.position >= this.limit) throw malformed('unexpected end of data');
    return this.bytes[this.position++] as number;
  }

  #advance(size: number): void {
    if (size > this.limit - this.position) throw malformed('unexpected end of data');
    this.position += size;
  }
}

/** The bytes as if they were ASCII, which is what engines decode fastest. Only those are looked at that are. */
function withoutHighBits(bytes: Uint8Array): Uint8Array {
  const ascii = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) ascii[i] = (bytes[i] as number) & 0x7f;
  return ascii;
}

export function malformed(why: string): StatusError {
  return badRequest(`the protobuf message is malformed: ${why}`);
}

/** `low` has 28 bits, `high` up to 42, of which 36 count: together the 64 bits of a two's complement number. */
function toInt64(low: number, high: number): number {
  const bits = high % 2 ** 36;
  return bits < 2 ** 35 ? bits * 2 ** 28 + low : -((2 ** 36 - bits) * 2 ** 28 - low);
}
