import type { Expression } from '../syntax/expression.js';
import { type CelType, dynType } from '../values/cel-type.js';
import { forComparisons } from './by-overload.js';
import { authorizationCost, listCost, patternFactor, requirementCost, textFactor } from './call-cost.js';
import { add, type CostRange, fixed, multiply, scale, unbounded, unknownRange } from './cost-range.js';

/** The estimate of an argument before the expression runs. */
export interface Argument {
  readonly expression: Expression | undefined;
  readonly type: CelType;
  readonly size: CostRange;
  /** The size of the items, of a list. */
  readonly itemSize: CostRange;
}

export interface CallEstimate {
  readonly cost: CostRange;
  readonly resultSize?: CostRange;
}

type Estimate = (args: readonly Argument[]) => CallEstimate | undefined;

const one: CostRange = fixed(1);
/** Assumed maximum length of formats, in characters. */
const longestFormatPattern = 128;
const longestFormatName = 64;
const sizeAt = (args: readonly Argument[], index: number) => args[index]?.size ?? unknownRange;
const read = (size: CostRange) => scale(size, textFactor);
const just = (cost: CostRange): CallEstimate => ({ cost });

const nominal: Estimate = () => just(one);
const readFirst: Estimate = (args) => just(read(sizeAt(args, 0)));
const readTwice: Estimate = (args) => just(scale(sizeAt(args, 0), 2 * textFactor));
const sameSize: Estimate = (args) => ({ cost: read(sizeAt(args, 0)), resultSize: sizeAt(args, 0) });

/** One for each item, and what reading it costs if it is text. */
const traversal: Estimate = ([list]) => {
  if (!list) return undefined;
  const [item] = list.type.parameters;
  if (!item) return just(read(list.size));
  const isText = item.kind === 'string' || item.kind === 'bytes';
  return just(multiply(list.size, isText ? add(one, read(list.itemSize)) : one));
};

const pattern: Estimate = (args) => {
  const text = read(add(sizeAt(args, 0), one));
  return just(multiply(text, scale(sizeAt(args, 1), patternFactor)));
};

const findPattern: Estimate = (args) => ({
  cost: pattern(args)?.cost ?? one,
  resultSize: { min: 0, max: sizeAt(args, 0).max },
});

const replace: Estimate = (args) => {
  const [text, from, to] = [sizeAt(args, 0), sizeAt(args, 1), sizeAt(args, 2)];
  const most = replaced(text.max, [from.min, to.max], to.max <= from.min);
  const least = replaced(text.min, [from.max, to.min], from.max <= to.min);
  return { cost: scale(text, 2 * textFactor), resultSize: { min: least, max: most } };
};

/** The length of a text after replacements; an empty part is found around every character. */
function replaced(length: number, [from, to]: readonly [number, number], keeps: boolean): number {
  if (from === 0) return Math.min((length + 1) * to + length, unbounded);
  return keeps ? length : Math.min(Math.ceil(length / from) * to, unbounded);
}

const split: Estimate = (args) => {
  const text = sizeAt(args, 0);
  return { cost: scale(text, 2 * textFactor), resultSize: { min: 0, max: constantAt(args, 2) ?? text.max } };
};

const join: Estimate = (args) => {
  const [list] = args;
  if (!list) return undefined;
  const parts = list.type.parameters.length > 0 ? multiply(list.size, list.itemSize) : fixed(0);
  const between = { min: Math.max(list.size.min - 1, 0), max: Math.max(list.size.max - 1, 0) };
  const size = args.length > 1 ? add(parts, multiply(sizeAt(args, 1), between)) : parts;
  return { cost: read(size), resultSize: size };
};

/** A constant number among the arguments. */
function constantAt(args: readonly Argument[], index: number): number | undefined {
  const expression = args[index]?.expression;
  if (expression?.kind !== 'constant' || typeof expression.value !== 'bigint') return undefined;
  return Math.max(Number(expression.value), 0);
}

function allocation(size: CostRange, factor: number): CallEstimate {
  return { cost: add(scale(size, factor), fixed(1 + listCost)), resultSize: size };
}

function sets(factor: number): Estimate {
  return (args) => just(add(scale(multiply(sizeAt(args, 0), sizeAt(args, 1)), factor), one));
}

/** Of the text, and of a list with a requirement for every other character. */
const parsedSelector: Estimate = (args) => {
  const text = sizeAt(args, 1);
  return just(add(fixed(listCost), read(text), scale(scale(text, 0.5), requirementCost)));
};

const address: CostRange = { min: 4, max: 16 };
const addressCost = read(add(address, address));
const networkCost = add(addressCost, read(address), one);

const byFunction: Readonly<Record<string, Estimate>> = {
  check: () => just(fixed(authorizationCost)),
  isSorted: traversal,
  sum: traversal,
  max: traversal,
  min: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  url: sameSize,
  'jsonpatch.escapeKey': sameSize,
  cidr: readFirst,
  isIP: readFirst,
  isCIDR: readFirst,
  'ip.isCanonical': readTwice,
  quantity: readFirst,
  isQuantity: readFirst,
  semver: readFirst,
  isSemver: readFirst,
  fieldSelector: parsedSelector,
  labelSelector: parsedSelector,
  lowerAscii: sameSize,
  upperAscii: sameSize,
  substring: sameSize,
  trim: sameSize,
  replace,
  split,
  join,
  find: findPattern,
  findAll: findPattern,
  masked: nominal,
  prefixLength: nominal,
  family: nominal,
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  validate: (args) => just(scale(read(sizeAt(args, 1)), longestFormatPattern * patternFactor)),
  'format.named': nominal,
};

const bytesOfText: Estimate = (args) => {
  const size = sizeAt(args, 0);
  return { cost: read(size), resultSize: { min: size.min, max: Math.min(size.max * 4, unbounded) } };
};

const textOfBytes: Estimate = (args) => {
  const size = sizeAt(args, 0);
  return { cost: read(size), resultSize: { min: Math.floor(size.min / 4), max: size.max } };
};

const quoted: Estimate = (args) => {
  const size = sizeAt(args, 0);
  return { cost: read(size), resultSize: { min: size.min + 2, max: Math.min(size.max * 2 + 2, unbounded) } };
};

const comparison: Estimate = (args) => {
  const types = args.map(({ type }) => type);
  if (types.every(({ kind, name }) => kind === 'opaque' && name !== 'optional_type')) return comparisonOfOpaque(args);
  const max = Math.min(sizeAt(args, 0).max, sizeAt(args, 1).max);
  return just(read({ min: max > 0 ? 1 : 0, max }));
};

/** Most are compared at once; URLs and formats as if by their text. */
function comparisonOfOpaque(args: readonly Argument[]): CallEstimate {
  const [, right] = args;
  if (right?.type.name === 'kubernetes.NamedFormat') return just(read({ min: 1, max: longestFormatName }));
  if (right?.type.name !== 'kubernetes.URL' || right.size === unknownRange) return just(one);
  return just(read({ min: 1, max: right.size.max }));
}

const joined: Estimate = (args) => {
  const size = add(sizeAt(args, 0), sizeAt(args, 1));
  return { cost: read(size), resultSize: size };
};

const slice: Estimate = (args) => {
  const size = (constantAt(args, 2) ?? sizeAt(args, 0).max) - (constantAt(args, 1) ?? 0);
  return allocation(fixed(size < 0 ? unbounded : size), 1);
};

const byOverload: Readonly<Record<string, Estimate>> = {
  cidr_contains_ip_string: (args) => just(add(addressCost, read(sizeAt(args, 1)))),
  cidr_contains_ip_ip: () => just(addressCost),
  cidr_contains_cidr_string: (args) => just(add(networkCost, read(sizeAt(args, 1)))),
  cidr_contains_cidr: () => just(networkCost),
  string_to_ip: readFirst,
  string_format: (args) => just(read(sizeAt(args, 0))),
  string_to_bytes: bytesOfText,
  bytes_to_string: textOfBytes,
  strings_quote: quoted,
  starts_with_string: (args) => just(read(sizeAt(args, 1))),
  ends_with_string: (args) => just(read(sizeAt(args, 1))),
  in_list: (args) => just(sizeAt(args, 1)),
  matches_string: pattern,
  contains_string: (args) => just(multiply(read(sizeAt(args, 0)), read(sizeAt(args, 1)))),
  ...forComparisons(comparison),
  add_string: joined,
  add_bytes: joined,
  add_list: (args) => ({ cost: one, resultSize: add(sizeAt(args, 0), sizeAt(args, 1)) }),
  list_slice: slice,
  list_flatten: (args) => allocation(sizeAt(args, 0), 1),
  list_flatten_int: (args) => allocation(sizeAt(args, 0), constantAt(args, 1) ?? unbounded),
  lists_range: (args) => allocation(fixed(constantAt(args, 0) ?? unbounded), 1),
  list_reverse: (args) => allocation(sizeAt(args, 0), 1),
  list_distinct: (args) => allocation(multiply(sizeAt(args, 0), sizeAt(args, 0)), 2),
};

const sorting = /^list_(\w+?)_sort(?:ByAssociatedKeys)?$/;

/** The estimated cost of a call without its arguments, and the maximum size of its result. */
export function estimateCall(functionName: string, overloadId: string, args: readonly Argument[]): CallEstimate {
  const sorted = sorting.exec(overloadId)?.[1];
  if (sorted !== undefined) {
    const size = sizeAt(args, args.length - 1);
    return allocation(multiply(size, size), sorted === 'string' || sorted === 'bytes' ? 2 + textFactor : 2);
  }
  const estimate = Object.hasOwn(byOverload, overloadId)
    ? byOverload[overloadId]
    : Object.hasOwn(byFunction, functionName)
      ? byFunction[functionName]
      : undefined;
  return estimate?.(args) ?? { cost: one };
}

export function argumentOf(expression: Expression, size: CostRange, itemSize: CostRange): Argument {
  return { expression, type: expression.type ?? dynType, size, itemSize };
}
