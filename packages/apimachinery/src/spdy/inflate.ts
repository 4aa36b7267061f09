import { dictionarySum, headerDictionary } from './header-dictionary.js';
import { SpdyError } from './spdy-error.js';

const windowBytes = 32 * 1024;
const endOfBlock = 256;

const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBases = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const distanceBits = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
/** The order in which the lengths of the codes for code lengths come. */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * Reads the compressed headers of one direction of a connection: one stream of RFC 1950 that continues from frame to
 * frame, each of which ends at a byte. It is written out here because SPDY needs it at once, with a dictionary, and on
 * every platform: browsers can inflate neither way, and header blocks are a few hundred bytes.
 */
export class HeaderInflater {
  readonly #maxBytes: number;
  /** What back references may point to: the dictionary, then the newest output. */
  #history: Uint8Array = headerDictionary();
  #begun = false;

  /** No block may be larger than this when it is inflated. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  inflate(block: Uint8Array): Uint8Array {
    const output = new Output(this.#history, this.#maxBytes);
    const bits = new BitReader(this.#begun ? block : withoutPreamble(block));
    this.#begun = true;
    while (bits.hasMore) if (readBlock(bits, output)) break;
    this.#history = output.history;
    return output.bytes;
  }
}

/** The stream says once that it is deflated, and that it was begun with the dictionary. */
function withoutPreamble(block: Uint8Array): Uint8Array {
  const [method = 0, flags = 0] = block;
  if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0)
    throw new SpdyError('headers are not compressed as they should be');
  if ((flags & 0x20) === 0) return block.subarray(2);
  const sum = new DataView(block.buffer, block.byteOffset, block.byteLength);
  if (block.length < 6 || sum.getUint32(2) !== dictionarySum)
    throw new SpdyError('headers are compressed with another dictionary');
  return block.subarray(6);
}

/** True if it was the last one of the stream. */
function readBlock(bits: BitReader, output: Output): boolean {
  const last = bits.take(1) === 1;
  const kind = bits.take(2);
  if (kind === 0) copyStored(bits, output);
  else if (kind === 1) copyCoded(bits, output, fixedCodes());
  else if (kind === 2) copyCoded(bits, output, readCodes(bits));
  else throw new SpdyError('a compressed block has an unknown type');
  return last;
}

function copyStored(bits: BitReader, output: Output): void {
  bits.alignToByte();
  const length = bits.take(16);
  if ((length ^ bits.take(16)) !== 0xffff) throw new SpdyError('a stored block has two lengths');
  for (let left = length; left > 0; left--) output.push(bits.take(8));
}

interface Codes {
  readonly literals: HuffmanCode;
  readonly distances: HuffmanCode;
}

function copyCoded(bits: BitReader, output: Output, { literals, distances }: Codes): void {
  for (;;) {
    const symbol = literals.read(bits);
    if (symbol === endOfBlock) return;
    if (symbol < endOfBlock) output.push(symbol);
    else {
      const length = extended(bits, symbol - endOfBlock - 1, lengthBases, lengthBits);
      output.repeat(extended(bits, distances.read(bits), distanceBases, distanceBits), length);
    }
  }
}

function extended(bits: BitReader, index: number, bases: readonly number[], extra: readonly number[]): number {
  const base = bases[index];
  if (base === undefined) throw new SpdyError('a compressed block has an invalid symbol');
  return base + bits.take(extra[index] ?? 0);
}

function fixedCodes(): Codes {
  const lengths = Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  );
  return { literals: new HuffmanCode(lengths), distances: new HuffmanCode(new Array(30).fill(5)) };
}

function readCodes(bits: BitReader): Codes {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const lengthCount = bits.take(4) + 4;
  const ofLengths: number[] = new Array(lengthOrder.length).fill(0);
  for (const symbol of lengthOrder.slice(0, lengthCount)) ofLengths[symbol] = bits.take(3);
  const lengths = readLengths(bits, new HuffmanCode(ofLengths), literalCount + distanceCount);
  return {
    literals: new HuffmanCode(lengths.slice(0, literalCount)),
    distances: new HuffmanCode(lengths.slice(literalCount)),
  };
}

function readLengths(bits: BitReader, code: HuffmanCode, count: number): number[] {
  const lengths: number[] = [];
  while (lengths.length < count) {
    const symbol = code.read(bits);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) pushTimes(lengths, lengths.at(-1) ?? 0, 3 + bits.take(2));
    else if (symbol === 17) pushTimes(lengths, 0, 3 + bits.take(3));
    else pushTimes(lengths, 0, 11 + bits.take(7));
  }
  if (lengths.length > count) throw new SpdyError('a compressed block has more codes than its header says');
  return lengths;
}

function pushTimes(list: number[], value: number, times: number): void {
  for (let left = times; left > 0; left--) list.push(value);
}

/** A canonical Huffman code: given by the lengths of its codes alone. */
class HuffmanCode {
  /** How many codes there are of each length. */
  readonly #counts: number[] = new Array(16).fill(0);
  /** The symbols in the order of their codes. */
  readonly #symbols: number[];

  constructor(lengths: readonly number[]) {
    for (const length of lengths) if (length > 0) this.#counts[length] = (this.#counts[length] ?? 0) + 1;
    this.#symbols = lengths
      .map((length, symbol) => ({ length, symbol }))
      .filter(({ length }) => length > 0)
      .sort((one, other) => one.length - other.length || one.symbol - other.symbol)
      .map(({ symbol }) => symbol);
  }

  read(bits: BitReader): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length < this.#counts.length; length++) {
      code |= bits.take(1);
      const count = this.#counts[length] ?? 0;
      const symbol = code - first < count ? this.#symbols[index + code - first] : undefined;
      if (symbol !== undefined) return symbol;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new SpdyError('a compressed block has an invalid code');
  }
}

class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #held = 0;
  #heldBits = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether another block begins: what is left of the last byte is padding. */
  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** At most 16 bits, the lowest first. */
  take(count: number): number {
    while (this.#heldBits < count) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new SpdyError('compressed headers are truncated');
      this.#held |= byte << this.#heldBits;
      this.#heldBits += 8;
    }
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#heldBits -= count;
    return value;
  }

  alignToByte(): void {
    this.take(this.#heldBits % 8);
  }
}

class Output {
  #bytes: Uint8Array;
  #size: number;
  readonly #start: number;
  readonly #limit: number;

  constructor(history: Uint8Array, maxBytes: number) {
    this.#bytes = new Uint8Array(history.length + 1024);
    this.#bytes.set(history);
    this.#start = history.length;
    this.#size = history.length;
    this.#limit = history.length + maxBytes;
  }

  get bytes(): Uint8Array {
    return this.#bytes.slice(this.#start, this.#size);
  }

  get history(): Uint8Array {
    return this.#bytes.slice(Math.max(0, this.#size - windowBytes), this.#size);
  }

  push(byte: number): void {
    if (this.#size >= this.#limit) throw new SpdyError('headers are too large');
    if (this.#size === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#size++] = byte;
  }

  repeat(distance: number, length: number): void {
    if (distance > this.#size) throw new SpdyError('a compressed block points before its beginning');
    for (let left = length; left > 0; left--) this.push(this.#bytes[this.#size - distance] ?? 0);
  }
}
