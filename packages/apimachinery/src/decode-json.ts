import { formatPath } from './decode-path.js';
import { scanJson } from './scan-json.js';
import { badRequest, requestEntityTooLarge } from './status-error.js';

export interface JsonLimits {
  /** How deeply arrays and objects may be nested. */
  readonly maxDepth?: number;
  /** The longest text, in bytes (in UTF-16 units when a string is given). */
  readonly maxBytes?: number;
}

export interface ParsedJson {
  readonly value: unknown;
  /** Full paths of the keys that an object has twice, such as `metadata.labels.a`. The last value won. */
  readonly duplicateFields: string[];
}

/** More duplicate or unknown fields than this are not reported. */
export const maxFindings = 100;

/** Go's decoder stops at 10,000. What walks a value here calls itself, and a stack is not sure to hold that many calls. */
export const defaultMaxDepth = 1_000;

/**
 * Reads JSON from a client. Whatever is wrong with it is a `StatusError`.
 *
 * Duplicates are found by counting: a text with as many colons as the value has keys has none, so only a text
 * with a duplicate is read a second time. Keys such as `__proto__` become plain own properties.
 */
export function parseJson(input: Uint8Array | string, limits: JsonLimits = {}): ParsedJson {
  const { maxDepth = defaultMaxDepth, maxBytes = Number.POSITIVE_INFINITY } = limits;
  if (input.length > maxBytes) throw requestEntityTooLarge(`Request entity too large: limit is ${maxBytes}`);
  const text = typeof input === 'string' ? wellFormed(input) : decodeUtf8(input);
  const scan = scanJson(text, maxDepth);
  if (scan.tooDeep) throw badRequest('json: exceeded max depth');
  if (scan.loneSurrogate) throw badRequest('json: invalid surrogate pair in string literal');
  const value = parse(text);
  const duplicateFields = countKeys(value, text.length) === scan.colons ? [] : findDuplicates(text);
  return { value, duplicateFields };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`json: ${error instanceof Error ? error.message : 'invalid text'}`);
  }
}

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true });

/** The text of UTF-8 bytes; a `StatusError` when they are none. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('invalid UTF-8 in the request body');
  }
}

/** With the `u` flag this class matches only surrogates without a partner. */
const loneSurrogate = /[\uD800-\uDFFF]/u;

function wellFormed(text: string): string {
  if (loneSurrogate.test(text)) throw badRequest('json: invalid surrogate pair in string literal');
  return text;
}

function countKeys(root: unknown, textLength: number): number {
  const visit = textLength > 100_000 ? visitMany : visitFew;
  let count = 0;
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) pushObjects(value, open);
    else count += visit(value as Record<string, unknown>, open);
  }
  return count;
}

/** Fastest for objects of some fields. */
function visitFew(object: Readonly<Record<string, unknown>>, open: unknown[]): number {
  let count = 0;
  for (const key in object) {
    count++;
    const field = object[key];
    if (typeof field === 'object' && field !== null) open.push(field);
  }
  return count;
}

/** Fastest for objects of thousands, which are hash tables. */
function visitMany(object: Readonly<Record<string, unknown>>, open: unknown[]): number {
  const fields = Object.values(object);
  pushObjects(fields, open);
  return fields.length;
}

function pushObjects(values: readonly unknown[], open: unknown[]): void {
  for (const value of values) if (typeof value === 'object' && value !== null) open.push(value);
}

/** One open array or object of the text. */
interface Level {
  /** The keys seen so far; absent for an array. */
  readonly keys: Set<string> | undefined;
  /** The key or index of the value that is being read. */
  step: string | number;
}

/** Every string, and every character that opens, closes or separates. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** Expects text that is known to be JSON. */
function findDuplicates(text: string): string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  /** True where a string would be a key. */
  let atKey = false;
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      atKey = token === '{';
      levels.push(atKey ? { keys: new Set(), step: '' } : { keys: undefined, step: 0 });
    } else if (token === '}' || token === ']') {
      levels.pop();
      atKey = false;
    } else if (token === ',' && level) {
      atKey = level.keys !== undefined;
      if (typeof level.step === 'number') level.step++;
    } else if (atKey && level?.keys) {
      atKey = false;
      level.step = JSON.parse(token) as string;
      if (level.keys.has(level.step)) found.add(formatPath(levels.map(({ step }) => step)));
      if (found.size >= maxFindings) break;
      level.keys.add(level.step);
    }
  }
  return [...found];
}
