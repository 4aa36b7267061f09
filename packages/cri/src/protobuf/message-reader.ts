const decoder = new TextDecoder();

/** Reads one message in protocol buffers' wire format. */
export class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A whole number of 64 bits with its sign. Beyond 2^53 it is the nearest that a JavaScript number can hold. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('a message ends in the middle of a number');
      if (count === 7) return this.#longVarint(value, byte);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new RangeError('a number has more than ten bytes');
  }

  double(): number {
    const at = this.#advance(8);
    return this.#view.getFloat64(at, true);
  }

  bytes(): Uint8Array {
    const length = this.varint();
    const at = this.#advance(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(): string {
    return decoder.decode(this.bytes());
  }

  /** Skips an unknown field. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 2) this.bytes();
    else if (wireType === 1 || wireType === 5) this.#advance(wireType === 1 ? 8 : 4);
    else throw new RangeError(`a message has a field of unknown wire type ${wireType}`);
  }

  /** Seven groups of seven bits fit a JavaScript number; the eighth and later ones need more. */
  #longVarint(low: number, first: number): number {
    let value = BigInt(low);
    let shift = 49n;
    let byte: number | undefined = first;
    for (; byte !== undefined; byte = this.#bytes[this.#at++]) {
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
      shift += 7n;
      if (shift > 63n) throw new RangeError('a number has more than ten bytes');
    }
    throw new RangeError('a message ends in the middle of a number');
  }

  #advance(length: number): number {
    const at = this.#at;
    if (length < 0 || at + length > this.#bytes.length) throw new RangeError('a message ends in the middle of a field');
    this.#at = at + length;
    return at;
  }
}
