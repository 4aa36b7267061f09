/** The only source of randomness in core packages. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

/** A whole number in [0, bound). */
export function randomInt(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

/** The same numbers for the same seed, on every platform (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}

/**
 * Numbers from a source of random bits, such as `crypto.getRandomValues`. The source fills 256 words at a time, because
 * a call costs more than a hundred numbers.
 */
export function randomFrom(fill: (words: Uint32Array<ArrayBuffer>) => void): Random {
  const words = new Uint32Array(256);
  let used = words.length;
  const draw = () => {
    if (used === words.length) {
      fill(words);
      used = 0;
    }
    return words[used++] as number;
  };
  return {
    // 53 bits, as many as a number holds.
    next: () => ((draw() >>> 5) * 67_108_864 + (draw() >>> 6)) / 9_007_199_254_740_992,
  };
}

/** A random UUID, version 4. */
export function randomUuid(random: Random): string {
  const a = word(random);
  const b = word(random);
  const c = word(random);
  const d = word(random);
  const version = 0x4000 | (b & 0x0fff);
  const variant = 0x8000 | ((c >>> 16) & 0x3fff);
  return `${hex(a >>> 16)}${hex(a)}-${hex(b >>> 16)}-${hex(version)}-${hex(variant)}-${hex(c)}${hex(d >>> 16)}${hex(d)}`;
}

/** 32 bits. */
function word(random: Random): number {
  return Math.floor(random.next() * 0x1_0000_0000);
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The four digits of the lowest 16 bits. */
function hex(number: number): string {
  return `${hexOfByte[(number >>> 8) & 0xff]}${hexOfByte[number & 0xff]}`;
}

/** The letters of generated names: no vowels, no look-alikes, so that no word appears by accident. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A suffix for generated names, such as the five letters at the end of a pod's name. */
export function randomSuffix(random: Random, length: number): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += nameAlphabet.charAt(randomInt(random, nameAlphabet.length));
  return suffix;
}
