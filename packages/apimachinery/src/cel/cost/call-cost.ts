import { byteLength } from '../../names.js';
import type { CelValue } from '../values/cel-value.js';
import { CelList, CelMap, CelOpaque } from '../values/cel-value.js';
import { sizeOf } from '../values/equality.js';
import { forComparisons } from './by-overload.js';

/** The actual cost of a call, from its arguments. */
export type CallCost = (args: readonly CelValue[]) => number;

/** One unit for every ten characters that are read. */
export const textFactor = 0.1;
/** A pattern is taken to have one part for every four characters. */
export const patternFactor = 0.25;
export const listCost = 10;
export const mapCost = 30;
export const messageCost = 40;
/** Allows two checks of authorization in an expression. */
export const authorizationCost = 350_000;
/** Of a selector: a message in a list. */
export const requirementCost = messageCost + listCost;

/** Maximum number of items that are counted individually: longer lists exceed every budget. */
const longestCounted = 10_000_000;

const sizeAt = (args: readonly CelValue[], index: number) => sizeOf(args[index] ?? null);
const read = (size: number) => Math.ceil(size * textFactor);

const readFirst: CallCost = (args) => read(sizeAt(args, 0));
const readTwice: CallCost = (args) => Math.ceil(sizeAt(args, 0) * 2 * textFactor);
const comparison: CallCost = ([left = null, right = null]) =>
  left instanceof CelOpaque ? 1 : read(Math.min(sizeOf(left), sizeOf(right)));
const pattern: CallCost = (args) => read(1 + sizeAt(args, 0)) * Math.ceil(sizeAt(args, 1) * patternFactor);
const product: CallCost = (args) => sizeAt(args, 0) * sizeAt(args, 1);
const joined: CallCost = (args) => read(sizeAt(args, 0) + sizeAt(args, 1));
const parsedSelector: CallCost = (args) => {
  const size = sizeAt(args, 1);
  return listCost + read(size) + Math.ceil(size / 2) * requirementCost;
};
const allocation = (cost: number) => cost + listCost + 1;

const bytesPerUnit = 10;

/** Whatever is in it is read: one for each value, and for texts as much as they are long. */
function traversalOf(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(byteLength(value) / bytesPerUnit);
  if (value instanceof Uint8Array) return Math.floor(value.length / bytesPerUnit);
  if (value instanceof CelList) return value.size > longestCounted ? value.size : sumOf(value, traversalOf);
  if (!(value instanceof CelMap)) return 1;
  return sumOf(value.keys(), (key) => traversalOf(key) + traversalOf(value.get(key) ?? null));
}

function sumOf(values: Iterable<CelValue>, cost: (value: CelValue) => number): number {
  let sum = 0;
  for (const value of values) sum += cost(value);
  return sum;
}

const traversal: CallCost = ([value = null]) => traversalOf(value);

const join: CallCost = ([list, separator = '']) => {
  if (!(list instanceof CelList)) return 1;
  if (list.size > longestCounted) return list.size;
  let size = Math.max(list.size - 1, 0) * sizeOf(separator);
  for (const item of list) size += sizeOf(item);
  return Math.ceil(size * 2 * textFactor);
};

const byFunction: Readonly<Record<string, CallCost>> = {
  check: () => authorizationCost,
  isSorted: traversal,
  sum: traversal,
  max: traversal,
  min: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  url: readFirst,
  'jsonpatch.escapeKey': readFirst,
  fieldSelector: parsedSelector,
  labelSelector: parsedSelector,
  lowerAscii: readFirst,
  upperAscii: readFirst,
  substring: readFirst,
  trim: readFirst,
  replace: readTwice,
  split: readTwice,
  join,
  find: pattern,
  findAll: pattern,
  cidr: readFirst,
  isIP: readFirst,
  isCIDR: readFirst,
  'ip.isCanonical': readTwice,
  quantity: readFirst,
  isQuantity: readFirst,
  semver: readFirst,
  isSemver: readFirst,
  validate: (args) => read(1 + sizeAt(args, 1)) * Math.ceil(sizeAt(args, 0) * patternFactor),
  'sets.contains': product,
  'sets.intersects': product,
  'sets.equivalent': (args) => 2 * product(args),
  containsIP: (args) => read(2 * sizeAt(args, 0)),
  containsCIDR: (args) => read(2 * sizeAt(args, 0)) + read(sizeAt(args, 0)) + 1,
};

const byOverload: Readonly<Record<string, CallCost>> = {
  string_to_ip: readFirst,
  cidr_contains_ip_string: (args) => read(2 * sizeAt(args, 0)) + read(sizeAt(args, 1)),
  cidr_contains_cidr_string: (args) => read(2 * sizeAt(args, 0)) + read(sizeAt(args, 0)) + 1 + read(sizeAt(args, 1)),
  starts_with_string: (args) => read(sizeAt(args, 1)),
  ends_with_string: (args) => read(sizeAt(args, 1)),
  string_to_bytes: readFirst,
  bytes_to_string: readFirst,
  strings_quote: readFirst,
  string_format: readFirst,
  in_list: (args) => sizeAt(args, 1),
  ...forComparisons(comparison),
  add_string: joined,
  add_bytes: joined,
  matches: pattern,
  matches_string: pattern,
  contains_string: (args) => read(sizeAt(args, 0)) * read(sizeAt(args, 1)),
  list_slice: ([, from, to]) => allocation(Math.max(Number(to) - Number(from), 0)),
  list_flatten: (args) => allocation(sizeAt(args, 0)),
  list_flatten_int: (args) => allocation(sizeAt(args, 0) * Math.max(Number(args[1]), 0)),
  lists_range: ([size]) => allocation(Math.max(Number(size), 0)),
  list_reverse: (args) => allocation(sizeAt(args, 0)),
  list_distinct: (args) => allocation(2 * sizeAt(args, 0) ** 2),
};

const sorting = /^list_\w+_sort(ByAssociatedKeys)?$/;

/** Undefined for the many functions that cost one unit. */
export function callCostOf(functionName: string, overloadId: string): CallCost | undefined {
  if (sorting.test(overloadId)) return (args) => allocation(2 * sizeAt(args, args.length - 1) ** 2);
  return (
    ownValueOf(byOverload, overloadId) ?? (overloadId === 'cidr_ip' ? undefined : ownValueOf(byFunction, functionName))
  );
}

function ownValueOf(table: Readonly<Record<string, CallCost>>, key: string): CallCost | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
