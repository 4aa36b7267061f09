import { findDuplicates } from './find-duplicates.js';
import { isInexact } from './int64.js';
import { jsonSyntaxError } from './json-syntax-error.js';
import { restoreInt64s } from './read-json.js';
import { estimateJson, type JsonScan, scanJson } from './scan-json.js';
import { badRequest, requestEntityTooLarge } from './status-error.js';

export interface JsonLimits {
  /** Maximum nesting depth of arrays and objects. */
  readonly maxDepth?: number;
  /** The longest text, in bytes (in UTF-16 units when a string is given). */
  readonly maxBytes?: number;
}

export interface ParsedJson {
  readonly value: unknown;
  /** Full paths of the keys that an object has twice, such as `metadata.labels.a`. The last value won. */
  readonly duplicateFields: string[];
  /** The result of decoding. */
  readonly text?: string;
}

/** More duplicate or unknown fields than this are not reported. */
export const maxStrictErrors = 100;

/**
 * Go's decoder stops at 10,000. What walks a value here calls itself, and a stack is not sure to hold that many calls.
 */
const defaultMaxDepth = 1_000;

/**
 * Reads JSON from a client. Whatever is wrong with it is a `StatusError`.
 *
 * Duplicates are found by counting: a text with as many colons as the value has keys has none, so only a text
 * with a duplicate is read a second time, and one with a number that a double may not hold: see `Int64`. Keys such as
 * `__proto__` become plain own properties.
 */
export function parseJson(input: Uint8Array | string, limits: JsonLimits = {}): ParsedJson {
  const { maxDepth = defaultMaxDepth, maxBytes = Number.POSITIVE_INFINITY } = limits;
  if (input.length > maxBytes) throw requestEntityTooLarge(`Request entity too large: limit is ${maxBytes}`);
  const text = typeof input === 'string' ? wellFormed(input) : decodeUtf8(input);
  return parseText(
    text,
    () => scanJson(typeof input === 'string' ? utf8Encoder.encode(input) : input, maxDepth),
    maxDepth,
  );
}

/** The same for text that `decodeUtf8` has made, or a part of it. */
export function parseDecodedJson(text: string): ParsedJson {
  return parseText(text, () => scanJson(utf8Encoder.encode(text), defaultMaxDepth), defaultMaxDepth);
}

function parseText(text: string, scan: () => JsonScan, maxDepth: number): ParsedJson {
  const estimate = estimateJson(text, maxDepth);
  if (estimate.depth > maxDepth || text.includes('\\u')) refuseHostile(scan());
  const parsed = parse(text);
  const { keys, holdsInexact } = visited(parsed, text);
  const isPlain = keys === estimate.colons || keys === scan().colons;
  const value = holdsInexact ? restoreInt64s(parsed, text) : parsed;
  return { value, duplicateFields: isPlain ? [] : findDuplicates(text, maxStrictErrors), text };
}

function refuseHostile({ tooDeep, loneSurrogate }: JsonScan): void {
  if (tooDeep) throw badRequest('json: exceeded max depth');
  if (loneSurrogate) throw badRequest('json: invalid surrogate pair in string literal');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(jsonSyntaxError(text) ?? String(error));
  }
}

/** A byte order mark is not stripped: it is invalid in JSON. */
const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf8Encoder = /* @__PURE__ */ new TextEncoder();

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

interface Visit {
  readonly text: string;
  keys: number;
  /** Whether a number may have other digits than the text. */
  holdsInexact: boolean;
}

function visited(value: unknown, text: string): Visit {
  const visit: Visit = { text, keys: 0, holdsInexact: false };
  if (typeof value === 'number' && isInexact(value)) noteInexact(value, visit);
  else visit.keys = countKeys(value, visit);
  return visit;
}

/** Recursive, up to the depth limit. It also notes inexact numbers. */
function countKeys(value: unknown, visit: Visit): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as unknown;
      if (typeof item === 'object') count += countKeys(item, visit);
      else if (typeof item === 'number' && isInexact(item)) noteInexact(item, visit);
    }
    return count;
  }
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    count++;
    const field = fields[key];
    if (typeof field === 'object') count += countKeys(field, visit);
    else if (typeof field === 'number' && isInexact(field)) noteInexact(field, visit);
  }
  return count;
}

const literal = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function noteInexact(value: number, visit: Visit): void {
  visit.holdsInexact = true;
  if (Number.isFinite(value)) return;
  const [digits = ''] = visit.text.match(literal)?.filter((number) => Number(number) === value) ?? [];
  throw badRequest(`json: cannot unmarshal number ${digits} into Go value of type float64`);
}
