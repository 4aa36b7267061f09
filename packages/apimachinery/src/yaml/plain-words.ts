import { type Int64, int64OfDouble, integerOf } from '../int64.js';
/**
 * Plain scalars as the Go tools resolve them: `y`, `yes` and `on` are booleans and `0644` is octal, as in YAML 1.1;
 * times and `12:30` stay text.
 */
export function plainValue(text: string): unknown {
  const first = text.charCodeAt(0);
  const kind = first < kindByFirst.length ? kindByFirst[first] : 0;
  if (kind === word) return text.length > longestWord ? text : wordValue(text);
  if (kind === number) return smallInteger(text) ?? readNumber(text) ?? text;
  return text.length === 0 ? null : text;
}

const longestWord = 5;

function wordValue(text: string): unknown {
  const value = words.get(text);
  return value === undefined ? text : value;
}

export function readNull(text: string): null | undefined {
  return words.get(text) === null || text === '' ? null : undefined;
}

export function readBoolean(text: string): boolean | undefined {
  return words.get(text) ?? undefined;
}

const words: ReadonlyMap<string, boolean | null> = new Map(
  (
    [
      ['true', true],
      ['y', true],
      ['yes', true],
      ['on', true],
      ['false', false],
      ['n', false],
      ['no', false],
      ['off', false],
      ['null', null],
      ['~', null],
    ] as const
  ).flatMap(([name, value]) => {
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    return [name, capital, name.toUpperCase()].map((form) => [form, value] as const);
  }),
);

/** What the first character of a scalar shows: that it may be one of the words above, or a number. */
const word = 1;
const number = 2;
const kindByFirst: Uint8Array = /* @__PURE__ */ firstCharacters();

function firstCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x80);
  for (const name of words.keys()) kinds[name.charCodeAt(0)] = word;
  for (const first of '0123456789+-.') kinds[first.charCodeAt(0)] = number;
  return kinds;
}

/** Most numbers are a few digits, which no pattern is needed for. */
function smallInteger(text: string): number | undefined {
  if (text.length > 9 || (text.length > 1 && text.charCodeAt(0) === 0x30)) return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

/** The characters that a number may have: digits in any base, and the letters of an exponent, `.inf` and `.nan`. */
const numeric = /^[-+]?\.?[0-9iInN][\w.+-]*$/;

function readNumber(text: string): Int64 | undefined {
  return numeric.test(text) ? (readInteger(text) ?? readFloat(text)) : undefined;
}

const integer = /^([-+]?)(0b[01]+|0o?[0-7]+|0x[0-9a-fA-F]+|0|[1-9][0-9]*)$/;

export function readInteger(text: string): Int64 | undefined {
  const match = integer.exec(withoutUnderscores(text));
  if (!match) return undefined;
  const [, sign, digits = ''] = match;
  const size = /^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const value = integerOf((sign === '-' ? '-' : '') + size);
  return value === 0 ? 0 : value;
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const infinity = /^([-+]?)\.(?:inf|Inf|INF)$/;

/** The Go tools write JSON of what they read, and read that: a float that JSON writes as an integer is one. */
export function readFloat(text: string): Int64 | undefined {
  const plain = withoutUnderscores(text);
  if (float.test(plain)) return int64OfDouble(Number(plain)) ?? Number(plain);
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return Number.NaN;
  const match = infinity.exec(text);
  return match ? (match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY) : undefined;
}

function withoutUnderscores(text: string): string {
  return text.includes('_') ? text.replaceAll('_', '') : text;
}
