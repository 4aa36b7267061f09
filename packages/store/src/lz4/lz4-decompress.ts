const minMatch = 4;

/**
 * Decodes a block of the LZ4 format that was written with this dictionary in front of it. Throws on a damaged one:
 * nothing is read or written outside of the buffers.
 */
export function lz4Decompress(
  block: Uint8Array,
  { length, dictionary }: { readonly length: number; readonly dictionary: Uint8Array },
): Uint8Array {
  const output = new Uint8Array(length);
  let from = 0;
  let to = 0;
  const readLength = (nibble: number): number => {
    let total = nibble;
    if (nibble < 15) return total;
    for (;;) {
      if (from >= block.length) throw damaged();
      const byte = block[from++] as number;
      total += byte;
      if (byte < 255) return total;
    }
  };
  while (from < block.length) {
    const token = block[from++] as number;
    const literals = readLength(token >> 4);
    if (literals > block.length - from || literals > length - to) throw damaged();
    copyWithin(output, to, block, from, literals);
    from += literals;
    to += literals;
    if (from === block.length) break;
    const offset = (block[from] as number) | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const matched = readLength(token & 15) + minMatch;
    if (from > block.length || offset === 0 || offset > to + dictionary.length || matched > length - to)
      throw damaged();
    to = copyMatch({ output, dictionary, to, offset, length: matched });
  }
  if (to !== length) throw damaged();
  return output;
}

/** A call to copy costs more than a few bytes do. */
const fewBytes = 24;

function copyWithin(output: Uint8Array, to: number, input: Uint8Array, from: number, length: number): void {
  if (length > fewBytes) output.set(input.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) output[to + i] = input[from + i] as number;
}

interface Match {
  readonly output: Uint8Array;
  readonly dictionary: Uint8Array;
  readonly to: number;
  readonly offset: number;
  readonly length: number;
}

/** Returns where the output ends then. A match may begin in the dictionary and run into the output, or over itself. */
function copyMatch({ output, dictionary, to, offset, length }: Match): number {
  let at = to;
  let left = length;
  let source = to - offset;
  if (source < 0) {
    const start = dictionary.length + source;
    const count = Math.min(left, -source);
    copyWithin(output, at, dictionary, start, count);
    at += count;
    left -= count;
    source = 0;
  }
  if (left > fewBytes && at - source >= left) {
    output.copyWithin(at, source, source + left);
    return at + left;
  }
  for (let i = 0; i < left; i++) output[at + i] = output[source + i] as number;
  return at + left;
}

function damaged(): Error {
  return new Error('a compressed value is corrupt');
}
