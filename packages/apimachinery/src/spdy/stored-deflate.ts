import { dictionarySum } from './header-dictionary.js';

const largestBlock = 0xffff;

/**
 * Writes the headers of one direction of a connection in the form that the other side inflates, without compression:
 * they are few and short, and stored blocks need no state. Each ends with an empty block, which flushes Go's reader.
 */
export class HeaderDeflater {
  #begun = false;

  deflate(block: Uint8Array): Uint8Array {
    const bytes = [...(this.#begun ? [] : preamble())];
    this.#begun = true;
    for (let at = 0; at < block.length; at += largestBlock) storeBlock(block.subarray(at, at + largestBlock), bytes);
    storeBlock(new Uint8Array(), bytes);
    return Uint8Array.from(bytes);
  }
}

/** Deflate with a window of 32 KiB, begun with the dictionary. */
function preamble(): number[] {
  const sum = [24, 16, 8, 0].map((shift) => (dictionarySum >>> shift) & 0xff);
  return [0x78, 0xbb, ...sum];
}

function storeBlock(chunk: Uint8Array, into: number[]): void {
  const { length } = chunk;
  into.push(0, length & 0xff, length >>> 8, ~length & 0xff, (~length >>> 8) & 0xff);
  for (const byte of chunk) into.push(byte);
}
