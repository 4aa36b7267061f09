import { ValueCompression } from '@coracle/store';

const compression = new ValueCompression({ from: 0, dictionary: new Uint8Array(0) });
/** Number of characters that are converted to a string at once. */
const pieceLength = 16_384;
const longestHeader = 8;

/**
 * Bytes that are kept for long and rarely read: compressed, in a string with one character per byte. Strings are in the
 * JavaScript heap, which the engine compacts. Small byte arrays are outside of it, and each keeps the memory around it
 * from being released.
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

/** Number of bytes after unpacking. */
export function unpackedLength(packed: PackedValue): number {
  return compression.decodedLength(bytesOf(packed.slice(0, longestHeader)));
}

function bytesOf(packed: PackedValue): Uint8Array {
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = packed.charCodeAt(at);
  return bytes;
}
