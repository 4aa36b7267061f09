import { type GoRegexp, GoRegexpError, goRegexp } from '../../go-regexp.js';
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { ValueList } from '../values/cel-list.js';
import { boolType, dynType, intType, listType, stringType } from '../values/cel-type.js';
import type { CelList } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { quoteText } from '../values/format-value.js';
import { formatText } from './format-text.js';

const strings = listType(stringType);
/** A result that is longer than anything that a request can hold is not made. */
const longestResult = 2 ** 26;

export const stringFunctions: readonly FunctionDeclaration[] = [
  declare(
    'contains',
    member(signature('contains_string', [stringType, stringType], boolType), (x: string, y: string) => x.includes(y)),
  ),
  declare(
    'startsWith',
    member(signature('starts_with_string', [stringType, stringType], boolType), (x: string, y: string) =>
      x.startsWith(y),
    ),
  ),
  declare(
    'endsWith',
    member(signature('ends_with_string', [stringType, stringType], boolType), (x: string, y: string) => x.endsWith(y)),
  ),
  declare(
    'matches',
    global(signature('matches', [stringType, stringType], boolType), matches),
    member(signature('matches_string', [stringType, stringType], boolType), matches),
  ),
  declare('charAt', member(signature('string_char_at_int', [stringType, intType], stringType), charAt)),
  declare(
    'indexOf',
    member(signature('string_index_of_string', [stringType, stringType], intType), (x: string, y: string) =>
      indexOf(x, y, 0n),
    ),
    member(signature('string_index_of_string_int', [stringType, stringType, intType], intType), indexOf),
  ),
  declare(
    'lastIndexOf',
    member(signature('string_last_index_of_string', [stringType, stringType], intType), (x: string, y: string) =>
      lastIndexOf(x, y),
    ),
    member(signature('string_last_index_of_string_int', [stringType, stringType, intType], intType), lastIndexOf),
  ),
  declare(
    'join',
    member(signature('list_join', [strings], stringType), (list: CelList) => join(list, '')),
    member(signature('list_join_string', [strings, stringType], stringType), join),
  ),
  declare('lowerAscii', member(signature('string_lower_ascii', [stringType], stringType), lowerAscii)),
  declare('upperAscii', member(signature('string_upper_ascii', [stringType], stringType), upperAscii)),
  declare(
    'replace',
    member(
      signature('string_replace_string_string', [stringType, stringType, stringType], stringType),
      (x: string, from: string, to: string) => replace(x, from, { to, limit: -1 }),
    ),
    member(
      signature('string_replace_string_string_int', [stringType, stringType, stringType, intType], stringType),
      (x: string, from: string, to: string, limit: bigint) => replace(x, from, { to, limit: Number(limit) }),
    ),
  ),
  declare(
    'split',
    member(signature('string_split_string', [stringType, stringType], strings), (x: string, y: string) => split(x, y)),
    member(signature('string_split_string_int', [stringType, stringType, intType], strings), split),
  ),
  declare(
    'substring',
    member(signature('string_substring_int', [stringType, intType], stringType), substring),
    member(signature('string_substring_int_int', [stringType, intType, intType], stringType), substring),
  ),
  declare('trim', member(signature('string_trim', [stringType], stringType), trim)),
  declare('strings.quote', global(signature('strings_quote', [stringType], stringType), quoteText)),
  declare('format', member(signature('string_format', [stringType, listType(dynType)], stringType), formatText)),
  declare(
    'find',
    member(
      signature('string_find_string', [stringType, stringType], stringType),
      (x: string, y: string) => regex(y).find(x, 1)[0] ?? '',
    ),
  ),
  declare(
    'findAll',
    member(signature('string_find_all_string', [stringType, stringType], strings), (x: string, y: string) =>
      findAll(x, y, -1n),
    ),
    member(signature('string_find_all_string_int', [stringType, stringType, intType], strings), findAll),
  ),
];

export function regex(pattern: string): GoRegexp {
  try {
    return goRegexp(pattern);
  } catch (error) {
    if (error instanceof GoRegexpError) return fail(error.message);
    throw error;
  }
}

function matches(text: string, pattern: string): boolean {
  return regex(pattern).test(text);
}

function findAll(text: string, pattern: string, limit: bigint): CelList {
  return new ValueList(regex(pattern).find(text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)));
}

/** Only text with characters beyond the first plane is taken apart. */
function charactersOf(text: string): string | readonly string[] {
  return /[\ud800-\udfff]/.test(text) ? [...text] : text;
}

function sliceOf(characters: string | readonly string[], from: number, to?: number): string {
  return typeof characters === 'string' ? characters.slice(from, to) : characters.slice(from, to).join('');
}

function charAt(text: string, index: bigint): string {
  const characters = charactersOf(text);
  if (index < 0n || index > BigInt(characters.length)) return fail(`index out of range: ${index}`);
  return characters[Number(index)] ?? '';
}

/** From code units to code points. */
function position(text: string, index: number): bigint {
  const before = charactersOf(text.slice(0, Math.max(index, 0)));
  return index < 0 ? -1n : BigInt(before.length);
}

function indexOf(text: string, part: string, from: bigint): bigint {
  const characters = charactersOf(text);
  if (part === '') return from;
  if (from < 0n) return fail(`index out of range: ${from}`);
  if (from >= BigInt(characters.length)) return -1n;
  const skipped = sliceOf(characters, 0, Number(from)).length;
  return position(text, text.indexOf(part, skipped));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const characters = charactersOf(text);
  const length = BigInt(characters.length);
  if (part === '') return from ?? length;
  if (from !== undefined && from < 0n) return fail(`index out of range: ${from}`);
  if (from !== undefined && from >= length) return -1n;
  const limit = from === undefined ? undefined : sliceOf(characters, 0, Number(from)).length;
  return position(text, text.lastIndexOf(part, limit));
}

function join(list: CelList, separator: string): string {
  const parts = Array.from(list, (item) => (typeof item === 'string' ? item : fail('no such overload')));
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  return length > longestResult ? fail('result of join is too long') : parts.join(separator);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
}

function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (part) => part.toUpperCase());
}

function replace(text: string, from: string, { to, limit }: { readonly to: string; readonly limit: number }): string {
  if (limit === 0) return text;
  const parts = from === '' ? ['', ...charactersOf(text), ''] : text.split(from);
  const count = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  if (text.length + count * to.length > longestResult) return fail('result of replace is too long');
  return (
    parts.slice(0, count + 1).join(to) +
    parts
      .slice(count + 1)
      .map((part) => from + part)
      .join('')
  );
}

function split(text: string, separator: string, limit: bigint = -1n): CelList {
  if (limit === 0n) return new ValueList([]);
  if (limit === 1n) return new ValueList([text]);
  const parts = separator === '' ? [...charactersOf(text)] : text.split(separator);
  const count = Number(limit);
  if (count < 0 || parts.length <= count) return new ValueList(parts);
  return new ValueList([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]);
}

function substring(text: string, from: bigint, to?: bigint): string {
  const characters = charactersOf(text);
  const length = BigInt(characters.length);
  if (from < 0n || from > length) return fail(`index out of range: ${from}`);
  if (to !== undefined && (to < 0n || to > length)) return fail(`index out of range: ${to}`);
  if (to !== undefined && from > to) return fail(`invalid substring range. start: ${from}, end: ${to}`);
  return sliceOf(characters, Number(from), to === undefined ? undefined : Number(to));
}

const blanks = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const outerBlanks = new RegExp(`^${blanks}|${blanks}$`, 'g');

function trim(text: string): string {
  return text.replace(outerBlanks, '');
}
