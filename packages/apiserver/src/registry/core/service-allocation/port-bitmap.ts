import type { PortRange } from './range.js';

/** Allocated ports of a range, one bit each. */
export class PortBitmap {
  readonly #range: PortRange;
  readonly #bits: Uint8Array;

  constructor(range: PortRange, bits = new Uint8Array(Math.ceil(range.size / 8))) {
    this.#range = range;
    this.#bits = bits;
  }

  copy(): PortBitmap {
    return new PortBitmap(this.#range, this.#bits.slice());
  }

  has(port: number): boolean {
    const offset = port - this.#range.first;
    return this.#range.holds(port) && ((this.#bits[offset >> 3] as number) & (1 << (offset & 7))) !== 0;
  }

  /** Ports outside the range are ignored: they are never allocated. */
  set(port: number, taken: boolean): void {
    if (!this.#range.holds(port)) return;
    const offset = port - this.#range.first;
    const bit = 1 << (offset & 7);
    const byte = this.#bits[offset >> 3] as number;
    this.#bits[offset >> 3] = taken ? byte | bit : byte & ~bit;
  }

  *[Symbol.iterator](): Generator<number> {
    const { size, first } = this.#range;
    for (let offset = 0; offset < size; offset++) {
      // Few are allocated: eight at a time are skipped.
      if (this.#bits[offset >> 3] === 0) offset |= 7;
      else if (this.has(first + offset)) yield first + offset;
    }
  }

  /** A big-endian integer without leading zero bytes, bit 0 for the first port. */
  toBytes(): Uint8Array {
    let length = this.#bits.length;
    while (length > 0 && this.#bits[length - 1] === 0) length--;
    return this.#bits.slice(0, length).reverse();
  }

  static fromBytes(range: PortRange, bytes: Uint8Array): PortBitmap {
    const bitmap = new PortBitmap(range);
    bitmap.#bits.set(bytes.slice().reverse().subarray(0, bitmap.#bits.length));
    return bitmap;
  }
}
