/** The shortest repetition that the format can name. */
const minMatch = 4;
/** The last bytes of a block are literals, as the format requires. */
const lastLiterals = 5;
/** No repetition begins in the last so many bytes of a block. */
const searchMargin = 12;
const farthest = 65_535;

/** Number of positions of the dictionary that are tried for small values. */
const mostTries = 16;
/** Length of a match from which no longer one is searched. */
const longEnough = 16;

/**
 * Maximum size of values that are searched thoroughly: events and leases, which are most of the data, are small, and
 * take a few microseconds. For larger values time matters more than size.
 */
const smallBytes = 1_536;
/** In larger values shorter matches are skipped: they save little, and prevent longer ones. */
const leastMatch = 8;

const multiplier = 2_654_435_761;
const secondMultiplier = 2_246_822_519;
const hashBits = 12;
/** The dictionary is longer than most values and is read once, so that it gets more room. */
const dictionaryHashBits = 15;
/** Positions are tried less often while no match is found: one more byte is skipped after each `1 << n` misses. */
const missesPerStep = 6;
const missesPerLongStep = 5;
/** The table is cleared when positions reach this. */
const lastPosition = 2 ** 30;

/**
 * Writes blocks of the LZ4 format, each with the same dictionary in front of it. A block can be read by any LZ4 decoder
 * that is given that dictionary.
 */
export class Lz4Compressor {
  readonly #dictionaryLength: number;
  /** The last position of each hash in the dictionary, plus one; zero for none. */
  readonly #dictionaryTable = new Uint16Array(1 << dictionaryHashBits);
  /** Where the same hash was seen before, for each position of the dictionary. */
  readonly #dictionaryChain: Uint16Array;
  /** Where each hash of `leastMatch` bytes was seen last in the dictionary, plus one. */
  readonly #longTable = new Uint16Array(1 << dictionaryHashBits);
  /**
   * The same for the block that is being written. Positions are counted on from block to block, so that those of earlier
   * ones are recognised by their size.
   */
  readonly #table = new Int32Array(1 << hashBits);
  /** What positions of this block count from: an empty entry is before all of them. */
  #shift = 1;
  /** The dictionary, and behind it the block that is being written: one range of positions for both. */
  #work: Uint8Array;
  #view: DataView;
  #output = new Uint8Array(0);
  #end = 0;
  #candidate = 0;

  /** Of a dictionary only the last 64 KiB can be of use. */
  constructor(dictionary: Uint8Array = new Uint8Array(0)) {
    const usable = dictionary.subarray(Math.max(0, dictionary.length - farthest));
    this.#dictionaryLength = usable.length;
    this.#work = Uint8Array.from(usable);
    this.#view = new DataView(this.#work.buffer);
    this.#dictionaryChain = new Uint16Array(usable.length);
    for (let at = 0; at + minMatch <= usable.length; at++) {
      const hash = hashOf(this.#view.getUint32(at, true), dictionaryHashBits);
      this.#dictionaryChain[at] = this.#dictionaryTable[hash] as number;
      this.#dictionaryTable[hash] = at + 1;
    }
    for (let at = 0; at + leastMatch <= usable.length; at++)
      this.#longTable[this.#longHash(at) >>> (32 - dictionaryHashBits)] = at + 1;
  }

  /** The block, behind `headerLength` bytes that are left to the caller. It is there until the next call. */
  compress(input: Uint8Array, headerLength = 0): Uint8Array {
    const start = this.#dictionaryLength;
    const end = start + input.length;
    this.#reserve(end, headerLength + boundOf(input.length));
    this.#work.set(input, start);
    this.#end = headerLength;
    const literalsFrom =
      input.length <= smallBytes ? this.#writeMatches(start, end) : this.#writeLongMatches(start, end);
    this.#writeSequence(literalsFrom, end);
    this.#shift += input.length;
    if (this.#shift > lastPosition) {
      this.#table.fill(0);
      this.#shift = 1;
    }
    return this.#output.subarray(0, this.#end);
  }

  #reserve(workLength: number, outputLength: number): void {
    if (this.#work.length < workLength) {
      const larger = new Uint8Array(workLength * 2);
      larger.set(this.#work.subarray(0, this.#dictionaryLength));
      this.#work = larger;
      this.#view = new DataView(larger.buffer);
    }
    if (this.#output.length < outputLength) this.#output = new Uint8Array(outputLength * 2);
  }

  /** Returns where the literals behind the last match begin. */
  #writeMatches(start: number, end: number): number {
    const searchEnd = end - searchMargin;
    const limit = end - lastLiterals;
    let anchor = start;
    let at = start;
    let misses = 1 << missesPerStep;
    while (at <= searchEnd) {
      let found = this.#find(at, limit);
      if (found === 0) {
        at += misses++ >> missesPerStep;
        continue;
      }
      misses = 1 << missesPerStep;
      let from = at;
      let candidate = this.#candidate;
      // A match that begins a little later is often longer.
      while (from < searchEnd && found < longEnough) {
        const next = this.#find(from + 1, limit);
        if (next <= found + 1) break;
        from++;
        found = next;
        candidate = this.#candidate;
      }
      // The bytes before it may match too.
      while (from > anchor && candidate > 0 && this.#work[from - 1] === this.#work[candidate - 1]) {
        from--;
        candidate--;
        found++;
      }
      this.#writeSequence(anchor, from, from - candidate, found);
      at = from + found;
      anchor = at;
      // The bytes just before the end of a match often begin the next one.
      if (at <= searchEnd) this.#table[hashOf(this.#view.getUint32(at - 2, true), hashBits)] = at - 2 + this.#shift;
    }
    return anchor;
  }

  /** The same in less time: the first match of at least `leastMatch` bytes is taken. */
  #writeLongMatches(start: number, end: number): number {
    const work = this.#work;
    const searchEnd = end - searchMargin;
    const limit = end - lastLiterals;
    let anchor = start;
    let at = start;
    let misses = 1 << missesPerLongStep;
    while (at <= searchEnd) {
      let candidate = this.#findLong(at);
      if (candidate < 0) {
        at += misses++ >> missesPerLongStep;
        continue;
      }
      misses = 1 << missesPerLongStep;
      const matchEnd = this.#matchEnd(at + leastMatch, candidate + leastMatch, limit);
      while (at > anchor && candidate > 0 && work[at - 1] === work[candidate - 1]) {
        at--;
        candidate--;
      }
      this.#writeSequence(anchor, at, at - candidate, matchEnd - at);
      at = matchEnd;
      anchor = at;
      if (at <= searchEnd) this.#table[this.#longHash(at - 2) >>> (32 - hashBits)] = at - 2 + this.#shift;
    }
    return anchor;
  }

  /** An earlier position of the same bytes, or negative. */
  #findLong(at: number): number {
    const view = this.#view;
    const first = view.getUint32(at, true);
    const second = view.getUint32(at + 4, true);
    const hash = (Math.imul(first, multiplier) + Math.imul(second, secondMultiplier)) | 0;
    const slot = hash >>> (32 - hashBits);
    const recent = (this.#table[slot] as number) - this.#shift;
    this.#table[slot] = at + this.#shift;
    if (recent >= this.#dictionaryLength && at - recent <= farthest) {
      if (view.getUint32(recent, true) === first && view.getUint32(recent + 4, true) === second) return recent;
    }
    const candidate = (this.#longTable[hash >>> (32 - dictionaryHashBits)] as number) - 1;
    if (candidate < 0 || at - candidate > farthest) return -1;
    const isSame = view.getUint32(candidate, true) === first && view.getUint32(candidate + 4, true) === second;
    return isSame ? candidate : -1;
  }

  #longHash(at: number): number {
    const first = Math.imul(this.#view.getUint32(at, true), multiplier);
    return (first + Math.imul(this.#view.getUint32(at + 4, true), secondMultiplier)) | 0;
  }

  /** The length of the longest match of those that it tries, or zero. `#candidate` is where it is. */
  #find(at: number, limit: number): number {
    const view = this.#view;
    const word = view.getUint32(at, true);
    const hash = hashOf(word, hashBits);
    const recent = (this.#table[hash] as number) - this.#shift;
    this.#table[hash] = at + this.#shift;
    let longest = 0;
    if (recent >= this.#dictionaryLength && at - recent <= farthest && view.getUint32(recent, true) === word) {
      longest = this.#matchEnd(at + minMatch, recent + minMatch, limit) - at;
      this.#candidate = recent;
    }
    let next = this.#dictionaryTable[hashOf(word, dictionaryHashBits)] as number;
    for (let tries = mostTries; next > 0 && tries > 0 && longest < longEnough; tries--) {
      const candidate = next - 1;
      next = this.#dictionaryChain[candidate] as number;
      if (at - candidate > farthest) break;
      // A match that is not longer at its end need not be compared.
      if (longest > 0 && this.#work[candidate + longest] !== this.#work[at + longest]) continue;
      if (view.getUint32(candidate, true) !== word) continue;
      const length = this.#matchEnd(at + minMatch, candidate + minMatch, limit) - at;
      if (length <= longest) continue;
      longest = length;
      this.#candidate = candidate;
    }
    return longest;
  }

  /** Up to where the bytes at a position are the same as those at another. */
  #matchEnd(from: number, candidate: number, limit: number): number {
    const work = this.#work;
    const view = this.#view;
    let at = from;
    let other = candidate;
    while (at + 4 <= limit && view.getUint32(at, true) === view.getUint32(other, true)) {
      at += 4;
      other += 4;
    }
    while (at < limit && work[at] === work[other]) {
      at++;
      other++;
    }
    return at;
  }

  /** Literals, and the match behind them unless they are the last ones. */
  #writeSequence(from: number, to: number, offset = 0, length = minMatch): void {
    const output = this.#output;
    const work = this.#work;
    const literals = to - from;
    const more = length - minMatch;
    let end = this.#end;
    output[end++] = (Math.min(literals, 15) << 4) | Math.min(more, 15);
    if (literals >= 15) end = writeLength(output, end, literals - 15);
    for (let i = from; i < to; i++) output[end++] = work[i] as number;
    if (offset > 0) {
      output[end++] = offset & 0xff;
      output[end++] = offset >> 8;
      if (more >= 15) end = writeLength(output, end, more - 15);
    }
    this.#end = end;
  }
}

/** Returns where it ends. */
function writeLength(output: Uint8Array, at: number, length: number): number {
  let end = at;
  let left = length;
  for (; left >= 255; left -= 255) output[end++] = 255;
  output[end++] = left;
  return end;
}

function hashOf(word: number, bits: number): number {
  return Math.imul(word, multiplier) >>> (32 - bits);
}

/** The most bytes that so many can become. */
function boundOf(length: number): number {
  return length + Math.floor(length / 255) + 16;
}
