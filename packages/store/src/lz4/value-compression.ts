import { writeUint32 } from '../embedded/small-bytes.js';
import { Lz4Compressor } from './lz4-compressor.js';
import { lz4Decompress } from './lz4-decompress.js';

/** The first byte of a compressed value; the length of the plain one follows, big-endian. Plain values begin with less. */
const mark = { first: 250, length24: 254, length32: 255 } as const;

export interface ValueCompressionOptions {
  /** Values of so many bytes, and larger ones, are compressed. */
  readonly from: number;
  /** Text that values have in common. What was written with one cannot be read with another. */
  readonly dictionary: Uint8Array;
}

/**
 * The encoding of values in a database: plain, or as an LZ4 block behind a mark and a length. It is the format of
 * lmdb-js, so that databases which that compressed are read as well.
 */
export class ValueCompression {
  readonly #from: number;
  readonly #dictionary: Uint8Array;
  #compressor: Lz4Compressor | undefined;

  constructor({ from, dictionary }: ValueCompressionOptions) {
    this.#from = from;
    // lmdb-js leaves out what does not fill a word.
    this.#dictionary = dictionary.subarray(0, dictionary.length - (dictionary.length % 8));
  }

  /** The value itself, or bytes that are there until the next call. */
  encode(value: Uint8Array): Uint8Array {
    if (value.length < this.#from && (value[0] ?? 0) < mark.first) return value;
    this.#compressor ??= new Lz4Compressor(this.#dictionary);
    const isLong = value.length >= 2 ** 24;
    const stored = this.#compressor.compress(value, isLong ? 8 : 4);
    writeUint32(stored, isLong ? 4 : 0, value.length);
    stored[0] = isLong ? mark.length32 : mark.length24;
    return stored;
  }

  /** How long the value is when it is decoded. */
  decodedLength(stored: Uint8Array): number {
    return readHeader(stored)?.length ?? stored.length;
  }

  /** Throws if the value is damaged. */
  decode(stored: Uint8Array): Uint8Array {
    const header = readHeader(stored);
    if (!header) return stored;
    const { headerLength, length } = header;
    return lz4Decompress(stored.subarray(headerLength), { length, dictionary: this.#dictionary });
  }
}

/** `undefined` for a plain value. */
function readHeader(stored: Uint8Array): { readonly headerLength: number; readonly length: number } | undefined {
  const first = stored[0] ?? 0;
  if (first < mark.first) return undefined;
  const headerLength = first === mark.length24 ? 4 : 8;
  if ((first !== mark.length24 && first !== mark.length32) || stored.length < headerLength)
    throw new Error('a stored value has an unknown prefix');
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  return { headerLength, length: headerLength === 4 ? view.getUint32(0) & 0xff_ffff : view.getUint32(4) };
}
