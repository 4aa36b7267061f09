/**
 * Reading and writing short byte arrays. There are several for every write, and the engine keeps short arrays in its
 * own heap as long as their `buffer` is not read: so no `DataView`, and no encoder for what is plain ASCII.
 */

const encoder = new TextEncoder();

/** UTF-8. */
export function encodeText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return encoder.encode(text);
    bytes[i] = code;
  }
  return bytes;
}

/** Four bytes that sort as the number does. */
export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  const low = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
  return high * 0x1_0000 + low;
}

/** Eight bytes that sort as the number does, which is whole and not negative. */
export function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  writeUint32(bytes, at, Math.floor(value / 0x1_0000_0000));
  writeUint32(bytes, at + 4, value % 0x1_0000_0000);
}

export function readNumber(bytes: Uint8Array, at: number): number {
  return readUint32(bytes, at) * 0x1_0000_0000 + readUint32(bytes, at + 4);
}

/** Whole numbers that are not negative, one behind the other, seven bits to a byte: small ones are short. */
export class ShortNumbers {
  readonly #bytes: Uint8Array;
  /** Where the next one begins. */
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  write(value: number): void {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#bytes[this.at++] = (left % 0x80) | 0x80;
    this.#bytes[this.at++] = left;
  }

  read(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }
}

/** Number of bytes that the numbers take. */
export function shortLength(...values: readonly number[]): number {
  let length = 0;
  for (const value of values)
    for (let left = value; ; left = Math.floor(left / 0x80)) {
      length++;
      if (left < 0x80) break;
    }
  return length;
}
