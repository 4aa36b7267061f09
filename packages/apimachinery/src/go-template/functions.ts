import { fromBase64 } from '../protobuf/base64.js';
import { formatPrint, formatPrintf, formatValue, noValue, typeName } from './go-format.js';

/** A function of the template language. Failures are plain errors; the executor says where. */
export type TemplateFunction = (...args: unknown[]) => unknown;

export function isTrue(value: unknown): boolean {
  if (value === noValue || value === null || value === undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
}

const html: Readonly<Record<string, string>> = { '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const js: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

function lengthOf(value: unknown): bigint {
  if (typeof value === 'string') return BigInt(new TextEncoder().encode(value).length);
  if (Array.isArray(value)) return BigInt(value.length);
  if (typeof value === 'object' && value !== null) return BigInt(Object.keys(value).length);
  if (value === null || value === undefined || value === noValue) throw new Error('len of nil pointer');
  throw new Error(`len of type ${typeName(value)}`);
}

function indexOf(value: unknown, ...keys: unknown[]): unknown {
  let current = value;
  for (const key of keys) {
    if (current === null || current === undefined || current === noValue) throw new Error('index of untyped nil');
    if (Array.isArray(current)) {
      if (typeof key !== 'bigint') throw new Error(`cannot index slice/array with type ${typeName(key)}`);
      if (key < 0n || key >= BigInt(current.length)) throw new Error(`index out of range: ${key}`);
      current = current[Number(key)];
    } else if (typeof current === 'object') {
      if (typeof key !== 'string') throw new Error(`value has type ${typeName(key)}; should be string`);
      current = Object.hasOwn(current, key) ? (current as Record<string, unknown>)[key] : noValue;
    } else throw new Error(`can't index item of type ${typeName(current)}`);
  }
  return current;
}

function sliceOf(value: unknown, ...bounds: unknown[]): unknown {
  const [from = 0n, to] = bounds as bigint[];
  if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(value);
    checkBounds(from, to, bytes.length);
    return new TextDecoder().decode(bytes.slice(Number(from), to === undefined ? undefined : Number(to)));
  }
  if (!Array.isArray(value)) throw new Error(`can't slice item of type ${typeName(value)}`);
  checkBounds(from, to, value.length);
  return value.slice(Number(from), to === undefined ? undefined : Number(to));
}

function checkBounds(from: bigint, to: bigint | undefined, length: number): void {
  for (const bound of [from, to ?? from])
    if (bound < 0n || bound > BigInt(length)) throw new Error(`index out of range: ${bound}`);
}

function comparable(left: unknown, right: unknown): void {
  if (typeName(left) !== typeName(right)) throw new Error('incompatible types for comparison');
}

function equal(left: unknown, right: unknown): boolean {
  const nil = (value: unknown) => value === null || value === undefined || value === noValue;
  if (nil(left) || nil(right)) return nil(left) && nil(right);
  comparable(left, right);
  if (typeof left === 'object') throw new Error('non-comparable type');
  return left === right;
}

function less(left: unknown, right: unknown): boolean {
  if (typeof left === 'boolean' || typeof left === 'object') throw new Error('invalid type for comparison');
  comparable(left, right);
  return (left as string | number | bigint) < (right as string | number | bigint);
}

function exists(value: unknown, ...path: unknown[]): boolean {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current) && typeof step === 'bigint') {
      if (step < 0n || step >= BigInt(current.length)) return false;
      current = current[Number(step)];
    } else if (typeof current === 'object' && current !== null && typeof step === 'string') {
      if (!Object.hasOwn(current, step)) return false;
      current = (current as Record<string, unknown>)[step];
    } else return false;
  }
  return true;
}

/** The functions of Go's templates, and those that kubectl adds. `and` and `or` are the executor's: they stop early. */
export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  and: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1),
  or: (...args) => args.find(isTrue) ?? args.at(-1),
  not: (value) => !isTrue(value),
  len: lengthOf,
  index: indexOf,
  slice: sliceOf,
  call: () => {
    throw new Error('call of non-function');
  },
  print: (...args) => formatPrint(args),
  println: (...args) => `${args.map(formatValue).join(' ')}\n`,
  printf: (format, ...args) => formatPrintf(String(format), args),
  html: (...args) => formatPrint(args).replace(/["'&<>]/g, (letter) => html[letter] ?? letter),
  js: (...args) => formatPrint(args).replace(/[\\'"<>&=]/g, (letter) => js[letter] ?? letter),
  urlquery: (...args) =>
    encodeURIComponent(formatPrint(args))
      .replace(/%20/g, '+')
      .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  eq: (first, ...others) => {
    if (others.length === 0) throw new Error('missing argument for comparison');
    return others.some((other) => equal(first, other));
  },
  ne: (a, b) => !equal(a, b),
  lt: (a, b) => less(a, b),
  le: (a, b) => less(a, b) || equal(a, b),
  gt: (a, b) => !less(a, b) && !equal(a, b),
  ge: (a, b) => !less(a, b),
  exists,
  base64decode: (text) => {
    const clean = String(text);
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(clean) || clean.length % 4 !== 0)
      throw new Error('base64 decode failed: illegal base64 data');
    return new TextDecoder().decode(fromBase64(clean));
  },
};
