import { integerOf, isInexact } from './int64.js';
import { type JsonLevel, visitJson } from './visit-json.js';

/**
 * `JSON.parse` that keeps every digit of an int64: see `Int64`. For text of this process or of a server. What a client
 * has sent is read by `parseJson`.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldInt64(text) ? restoreInt64s(value, text) : value;
}

/** The shortest integer that a double may not hold has so many digits. */
const fewestDigits = 16;

/**
 * Whether a number of so many digits may be in the text. A run of n digits covers every nth character, so that only
 * those are looked at.
 */
export function mayHoldInt64(text: string): boolean {
  for (let at = fewestDigits - 1; at < text.length; at += fewestDigits) {
    if (isDigit(text.charCodeAt(at)) && isIntegerAt(text, at)) return true;
  }
  return false;
}

function isIntegerAt(text: string, at: number): boolean {
  let start = at;
  while (isDigit(text.charCodeAt(start - 1))) start--;
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  return end - start >= fewestDigits && mayPrecede.test(text.charAt(start - 1)) && mayFollow.test(text.charAt(end));
}

/** What may be next to an integer; nothing, at the ends of the text. */
const mayPrecede = /^[-:,[\s]?$/;
const mayFollow = /^[,\]}\s]?$/;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Puts the int64s that the text has in place of the doubles that `JSON.parse` made of them, and returns the value. Of a
 * key that comes twice the last value counts.
 */
export function restoreInt64s(value: unknown, text: string): unknown {
  if (typeof value === 'number') return exactOf(text.trim(), value);
  const holders = new Holders(value);
  visitJson(text, {
    onNumber: (levels, literal) => {
      const double = Number(literal);
      if (isInexact(double)) restore(holders.of(levels), levels.at(-1)?.step ?? '', { literal, double });
    },
  });
  return value;
}

/** The arrays and objects of a value by the levels of its text. Each is looked up once, however many numbers it has. */
class Holders {
  readonly #root: unknown;
  readonly #found = new Map<JsonLevel, unknown>();

  constructor(root: unknown) {
    this.#root = root;
  }

  /** What the innermost level is; anything else if another value of a key that comes twice took its place. */
  of(levels: readonly JsonLevel[]): unknown {
    let level = levels.length - 1;
    while (level > 0 && !this.#found.has(levels[level] as JsonLevel)) level--;
    let holder = level === 0 ? this.#root : this.#found.get(levels[level] as JsonLevel);
    for (let i = level + 1; i < levels.length; i++) {
      holder = fieldOf(holder, levels[i - 1]?.step ?? '');
      this.#found.set(levels[i] as JsonLevel, holder);
    }
    return holder;
  }
}

function exactOf(literal: string, double: number): number | bigint {
  return isInexact(double) && isDigits.test(literal) ? integerOf(literal) : double;
}

const isDigits = /^-?\d+$/;

interface FoundNumber {
  readonly literal: string;
  readonly double: number;
}

function restore(holder: unknown, step: string | number, { literal, double }: FoundNumber): void {
  const present = fieldOf(holder, step);
  // Another value stands there if the key comes twice.
  if (typeof present !== 'number' && typeof present !== 'bigint') return;
  if (Number(present) === double) (holder as Record<string | number, unknown>)[step] = exactOf(literal, double);
}

function fieldOf(holder: unknown, step: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return undefined;
  return (holder as Record<string | number, unknown>)[step];
}
