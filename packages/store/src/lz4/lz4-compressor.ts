/** The shortest repetition that the format can name. */
const minMatch = 4;
/** The last bytes of a block are literals, as the format asks. */
const lastLiterals = 5;
/** No repetition begins in the last so many bytes of a block. */
const searchMargin = 12;
const farthest = 65_535;

/** How hard a match is looked for. */
interface Effort {
  /** So many places of the dictionary are compared with what is to be written. */
  readonly mostTries: number;
  /** A match of so many bytes is taken without looking for a longer one. */
  readonly longEnough: number;
}

const thorough: Effort = { mostTries: 16, longEnough: 16 };
const quick: Effort = { mostTries: 1, longEnough: minMatch };

/**
 * Up to here values are searched thoroughly: most of what there is much of, events and leases, is small, and takes a few
 * microseconds. For larger ones the time counts more than the last third of their size.
 */
const smallBytes = 1_536;

const hashBits = 12;
/** The dictionary is longer than most values and is read once, so that it gets more room. */
const dictionaryHashBits = 15;
/** Positions are tried less and less often where nothing is found: one more byte is skipped after each so many misses. */
const missesPerStep = 6;

/**
 * Writes blocks of the LZ4 format, each with the same dictionary in front of it. A block can be read by any LZ4 decoder
 * that is given that dictionary.
 */
export class Lz4Compressor {
  readonly #dictionaryLength: number;
  /** Where each hash was seen last in the dictionary, plus one; zero for nowhere. */
  readonly #dictionaryTable = new Uint16Array(1 << dictionaryHashBits);
  /** Where the same hash was seen before, for each position of the dictionary. */
  readonly #dictionaryChain: Uint16Array;
  /** The same for the block that is being written. */
  readonly #table = new Int32Array(1 << hashBits);
  /** The dictionary, and behind it the block that is being written: one range of positions for both. */
  #work: Uint8Array;
  #view: DataView;
  #output = new Uint8Array(0);
  #end = 0;
  #candidate = 0;
  #effort = thorough;

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
  }

  /** The block, behind `headerLength` bytes that are left to the caller. */
  compress(input: Uint8Array, headerLength = 0): Uint8Array {
    const start = this.#dictionaryLength;
    const end = start + input.length;
    this.#reserve(end, headerLength + boundOf(input.length));
    this.#work.set(input, start);
    this.#table.fill(0);
    this.#effort = input.length <= smallBytes ? thorough : quick;
    this.#end = headerLength;
    const literalsFrom = this.#writeMatches(start, end);
    this.#writeSequence(literalsFrom, end);
    return this.#output.slice(0, this.#end);
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
    const { longEnough } = this.#effort;
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
      // And what stands before it may be the same too.
      while (from > anchor && candidate > 0 && this.#work[from - 1] === this.#work[candidate - 1]) {
        from--;
        candidate--;
        found++;
      }
      this.#writeSequence(anchor, from, { offset: from - candidate, length: found });
      at = from + found;
      anchor = at;
      // What stands just before the end of a match often begins the next one.
      if (at <= searchEnd) this.#table[hashOf(this.#view.getUint32(at - 2, true), hashBits)] = at - 2;
    }
    return anchor;
  }

  /** The length of the longest match of those that it tries, or zero. `#candidate` is where it is. */
  #find(at: number, limit: number): number {
    const view = this.#view;
    const { mostTries, longEnough } = this.#effort;
    const word = view.getUint32(at, true);
    const hash = hashOf(word, hashBits);
    const recent = this.#table[hash] as number;
    this.#table[hash] = at;
    let longest = 0;
    if (recent > 0 && at - recent <= farthest && view.getUint32(recent, true) === word) {
      longest = this.#matchEnd(at, recent, limit) - at;
      this.#candidate = recent;
    }
    let next = this.#dictionaryTable[hashOf(word, dictionaryHashBits)] as number;
    for (let tries = mostTries; next > 0 && tries > 0 && longest < longEnough; tries--) {
      const candidate = next - 1;
      next = this.#dictionaryChain[candidate] as number;
      if (at - candidate > farthest) break;
      // Whatever is not longer at its end need not be looked at.
      if (longest > 0 && this.#work[candidate + longest] !== this.#work[at + longest]) continue;
      if (view.getUint32(candidate, true) !== word) continue;
      const length = this.#matchEnd(at, candidate, limit) - at;
      if (length <= longest) continue;
      longest = length;
      this.#candidate = candidate;
    }
    return longest;
  }

  #matchEnd(from: number, candidate: number, limit: number): number {
    const work = this.#work;
    const view = this.#view;
    let at = from + minMatch;
    let other = candidate + minMatch;
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
  #writeSequence(from: number, to: number, match?: { readonly offset: number; readonly length: number }): void {
    const output = this.#output;
    const literals = to - from;
    const more = match ? match.length - minMatch : 0;
    output[this.#end++] = (Math.min(literals, 15) << 4) | Math.min(more, 15);
    if (literals >= 15) this.#writeLength(literals - 15);
    if (literals > 0 && literals <= 16) for (let i = from; i < to; i++) output[this.#end++] = this.#work[i] as number;
    else if (literals > 0) {
      output.set(this.#work.subarray(from, to), this.#end);
      this.#end += literals;
    }
    if (!match) return;
    output[this.#end++] = match.offset & 0xff;
    output[this.#end++] = match.offset >> 8;
    if (more >= 15) this.#writeLength(more - 15);
  }

  #writeLength(length: number): void {
    let left = length;
    for (; left >= 255; left -= 255) this.#output[this.#end++] = 255;
    this.#output[this.#end++] = left;
  }
}

function hashOf(word: number, bits: number): number {
  return Math.imul(word, 2_654_435_761) >>> (32 - bits);
}

/** The most bytes that so many can become. */
function boundOf(length: number): number {
  return length + Math.floor(length / 255) + 16;
}
