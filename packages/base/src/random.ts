/** The only source of chance in core packages. */
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

/** A random UUID, version 4. */
export function randomUuid(random: Random): string {
  let digits = '';
  for (let group = 0; group < 4; group++) {
    digits += Math.floor(random.next() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  }
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) & 3];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** The letters of generated names: no vowels, no look-alikes, so that no word appears by accident. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A suffix for generated names, such as the five letters at the end of a pod's name. */
export function randomSuffix(random: Random, length: number): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += nameAlphabet.charAt(randomInt(random, nameAlphabet.length));
  return suffix;
}
