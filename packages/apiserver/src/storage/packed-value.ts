import { ValueCompression } from '@coracle/store';

const compression = new ValueCompression({ from: 0, dictionary: new Uint8Array(0) });
/** Of so many characters a text is made at once. */
const pieceLength = 16_384;
const longestHeader = 8;

/**
 * Bytes that are kept for long and seldom read: compressed, and as a text with a character for each byte. Texts are in
 * the heap of the engine, which moves what it keeps together. Bytes are outside of it, where each of them keeps the
 * memory around it from being given back.
 */
export type PackedValue = string;

export function packValue(value: Uint8Array): PackedValue {
  const bytes = compression.encode(value);
  let packed = '';
  for (let at = 0; at < bytes.length; at += pieceLength)
    packed += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + pieceLength));
  return packed;
}

export function unpackValue(packed: PackedValue): Uint8Array {
  return compression.decode(bytesOf(packed));
}

/** How many bytes there are when it is unpacked. */
export function unpackedLength(packed: PackedValue): number {
  return compression.decodedLength(bytesOf(packed.slice(0, longestHeader)));
}

function bytesOf(packed: PackedValue): Uint8Array {
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = packed.charCodeAt(at);
  return bytes;
}
