import { declare, type FunctionDeclaration, global, member, type OverloadDeclaration, signature } from '../overload.js';
import { ValueList } from '../values/cel-list.js';
import type { ValueMap } from '../values/cel-map.js';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../values/cel-type.js';
import type { CelMap } from '../values/cel-value.js';
import { CelDuration, CelList, CelUint, type CelValue, typeOfValue } from '../values/cel-value.js';
import { celCompare, celEquals } from '../values/equality.js';
import { fail } from '../values/evaluation-failure.js';
import { int64, uint64 } from './operators.js';

const t = typeParameter('T');
const u = typeParameter('U');
const listOfT = listType(t);
const longestRange = 10_000_000n;

/** The types whose values have an order. */
const comparable: readonly CelType[] = [
  intType,
  uintType,
  doubleType,
  boolType,
  durationType,
  timestampType,
  stringType,
  bytesType,
];
const summable: readonly CelType[] = [intType, uintType, doubleType, durationType];

function forEach(types: readonly CelType[], make: (type: CelType) => OverloadDeclaration): OverloadDeclaration[] {
  return types.map(make);
}

function isSorted(list: CelList): boolean {
  for (let i = 1; i < list.size; i++) if (celCompare(list.at(i - 1), list.at(i)) > 0) return false;
  return true;
}

function sum(list: CelList): CelValue {
  if (list.size === 0) return 0n;
  let total = list.at(0);
  for (let i = 1; i < list.size; i++) total = add(total, list.at(i));
  return total;
}

function add(x: CelValue, y: CelValue): CelValue {
  if (typeof x === 'bigint' && typeof y === 'bigint') return int64(x + y);
  if (typeof x === 'number' && typeof y === 'number') return x + y;
  if (x instanceof CelUint && y instanceof CelUint) return uint64(x.value + y.value);
  if (x instanceof CelDuration && y instanceof CelDuration) return new CelDuration(x.nanos + y.nanos);
  return fail('no such overload');
}

/** The empty sum has the type of the list's items. */
function emptySum(type: CelType): CelValue {
  if (type === uintType) return new CelUint(0n);
  if (type === doubleType) return 0;
  return type === durationType ? new CelDuration(0n) : 0n;
}

function extreme(name: string, isBetter: (order: number) => boolean): (list: CelList) => CelValue {
  return (list) => {
    if (list.size === 0) return fail(`${name} called on empty list`);
    let best = list.at(0);
    for (let i = 1; i < list.size; i++) if (isBetter(celCompare(list.at(i), best))) best = list.at(i);
    return best;
  };
}

function indexOf(list: CelList, item: CelValue): bigint {
  for (let i = 0; i < list.size; i++) if (celEquals(list.at(i), item)) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: CelList, item: CelValue): bigint {
  for (let i = list.size - 1; i >= 0; i--) if (celEquals(list.at(i), item)) return BigInt(i);
  return -1n;
}

function slice(list: CelList, from: bigint, to: bigint): CelList {
  const what = `cannot slice(${from}, ${to})`;
  if (from < 0n || to < 0n) return fail(`${what}, negative indexes not supported`);
  if (from > to) return fail(`${what}, start index must be less than or equal to end index`);
  if (to > BigInt(list.size)) return fail(`${what}, list is length ${list.size}`);
  return new ValueList(Array.from({ length: Number(to - from) }, (_, i) => list.at(Number(from) + i)));
}

function flatten(list: CelList, depth: bigint): CelList {
  if (depth < 0n) return fail('level must be non-negative');
  const items: CelValue[] = [];
  const gather = (inner: CelList, left: bigint) => {
    for (const item of inner) {
      if (left > 0n && item instanceof CelList) gather(item, left - 1n);
      else items.push(item);
    }
  };
  gather(list, depth);
  return new ValueList(items);
}

function distinct(list: CelList): CelList {
  const found: CelValue[] = [];
  const seen = new Set<CelValue>();
  for (const item of list) {
    // Strings are looked up in a set; other values may be equal without being identical.
    if (typeof item === 'string' ? seen.has(item) : found.some((one) => celEquals(one, item))) continue;
    seen.add(item);
    found.push(item);
  }
  return new ValueList(found);
}

function sortByKeys(list: CelList, keys: CelList): CelList {
  if (list.size !== keys.size)
    return fail('@sortByAssociatedKeys() expected a list of the same size as the associated keys list');
  if (list.size === 0) return list;
  const type = typeOfValue(keys.at(0));
  if (!comparable.some((one) => one.kind === type.kind)) return fail('list elements must be comparable');
  const entries = Array.from(list, (item, i) => ({ item, key: keys.at(i) }));
  if (entries.some(({ key }) => typeOfValue(key).kind !== type.kind))
    return fail('list elements must have the same type');
  entries.sort((x, y) => celCompare(x.key, y.key));
  return new ValueList(entries.map(({ item }) => item));
}

function range(size: bigint): CelList {
  if (size < 0n) return fail(`lists.range: size must be non-negative, got ${size}`);
  if (size > longestRange) return fail(`lists.range: size ${size} exceeds maximum allowed (${longestRange})`);
  return new RangeList(Number(size));
}

/** The numbers from 0, computed on access. */
class RangeList extends CelList {
  readonly size: number;

  constructor(size: number) {
    super();
    this.size = size;
  }

  at(index: number): CelValue {
    return BigInt(index);
  }
}

export function contains(list: CelList, items: CelList): boolean {
  for (const item of items) if (indexOf(list, item) < 0n) return false;
  return true;
}

function intersects(x: CelList, y: CelList): boolean {
  for (const item of x) if (indexOf(y, item) >= 0n) return true;
  return false;
}

const ordered = [
  declare(
    'isSorted',
    ...forEach(comparable, (type) =>
      member(signature(`list_${type.name}_is_sorted_bool`, [listType(type)], boolType), isSorted),
    ),
  ),
  declare(
    'sum',
    ...forEach(summable, (type) =>
      member(signature(`list_${type.name}_sum_${type.name}`, [listType(type)], type), (list: CelList) =>
        list.size === 0 ? emptySum(type) : sum(list),
      ),
    ),
  ),
  declare(
    'max',
    ...forEach(comparable, (type) =>
      member(
        signature(`list_${type.name}_max_${type.name}`, [listType(type)], type),
        extreme('max', (order) => order > 0),
      ),
    ),
  ),
  declare(
    'min',
    ...forEach(comparable, (type) =>
      member(
        signature(`list_${type.name}_min_${type.name}`, [listType(type)], type),
        extreme('min', (order) => order < 0),
      ),
    ),
  ),
  declare(
    'sort',
    ...forEach(comparable, (type) =>
      member(signature(`list_${type.name}_sort`, [listType(type)], listType(type)), (list: CelList) =>
        sortByKeys(list, list),
      ),
    ),
  ),
  declare(
    '@sortByAssociatedKeys',
    ...forEach(comparable, (type) =>
      member(signature(`list_${type.name}_sortByAssociatedKeys`, [listOfT, listType(type)], listOfT), sortByKeys),
    ),
  ),
];

const shaping = [
  declare('indexOf', member(signature('list_a_index_of_int', [listOfT, t], intType), indexOf)),
  declare('lastIndexOf', member(signature('list_a_last_index_of_int', [listOfT, t], intType), lastIndexOf)),
  declare('slice', member(signature('list_slice', [listOfT, intType, intType], listOfT), slice)),
  declare(
    'flatten',
    member(signature('list_flatten', [listType(listOfT)], listOfT), (list: CelList) => flatten(list, 1n)),
    member(signature('list_flatten_int', [listType(dynType), intType], listType(dynType)), flatten),
  ),
  declare('distinct', member(signature('list_distinct', [listOfT], listOfT), distinct)),
  declare(
    'reverse',
    member(signature('list_reverse', [listOfT], listOfT), (list: CelList) => new ValueList([...list].reverse())),
  ),
  declare('lists.range', global(signature('lists_range', [intType], listType(intType)), range)),
];

const sets = [
  declare('sets.contains', global(signature('list_sets_contains_list', [listOfT, listOfT], boolType), contains)),
  declare(
    'sets.equivalent',
    global(
      signature('list_sets_equivalent_list', [listOfT, listOfT], boolType),
      (x: CelList, y: CelList) => contains(x, y) && contains(y, x),
    ),
  ),
  declare('sets.intersects', global(signature('list_sets_intersects_list', [listOfT, listOfT], boolType), intersects)),
];

const mapInsertion = declare(
  'cel.@mapInsert',
  global(
    signature('cel_@mapInsert_map_key_value', [mapType(t, u), t, u], mapType(t, u)),
    (map: ValueMap, key: CelValue, value: CelValue) => map.with(key, value),
  ),
  global(
    signature('cel_@mapInsert_map_map', [mapType(t, u), mapType(t, u)], mapType(t, u)),
    (map: ValueMap, others: CelMap) => {
      let all = map;
      for (const key of others.keys()) all = all.with(key, others.get(key) ?? null);
      return all;
    },
  ),
);

export const listFunctions: readonly FunctionDeclaration[] = [...ordered, ...shaping, ...sets, mapInsertion];
