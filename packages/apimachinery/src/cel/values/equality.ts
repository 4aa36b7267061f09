import type { CelList, CelMap } from './cel-value.js';
import {
  CelDuration,
  CelOpaque,
  type CelOptional,
  CelTimestamp,
  type CelTypeValue,
  CelUint,
  type CelValue,
} from './cel-value.js';
import { fail } from './evaluation-failure.js';

/** Numbers are equal across types; values of other types that differ are never equal. */
export function celEquals(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (b instanceof Uint8Array || a.tag !== b.tag) return false;
  switch (a.tag) {
    case 'list':
      return listsEqual(a, b as CelList);
    case 'map':
      return mapsEqual(a, b as CelMap);
    case 'timestamp':
    case 'duration':
      return a.nanos === (b as CelTimestamp | CelDuration).nanos;
    case 'optional':
      return optionalsEqual(a, b as CelOptional);
    case 'type':
      return a.name === (b as CelTypeValue).name;
    case 'opaque':
      return b instanceof CelOpaque && a.type.name === b.type.name && a.equals(b);
    default:
      return false;
  }
}

function optionalsEqual(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return celEquals(a.value, b.value);
}

function listsEqual(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  if (a.keyOf) return keyedEqual(a, b, a.keyOf);
  for (let i = 0; i < a.size; i++) if (!celEquals(a.at(i), b.at(i))) return false;
  return true;
}

function keyedEqual(a: CelList, b: CelList, keyOf: (item: CelValue) => string): boolean {
  const items = new Map([...b].map((item) => [keyOf(item), item]));
  for (const item of a) {
    const other = items.get(keyOf(item));
    if (other === undefined || !celEquals(item, other)) return false;
  }
  return true;
}

function mapsEqual(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !celEquals(a.get(key) ?? null, other)) return false;
  }
  return !a.differsBeyondKeys(b);
}

export type CelNumber = bigint | number | CelUint;

export function isNumeric(value: CelValue): value is CelNumber {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint;
}

/** Negative, zero or positive; `NaN` where one of them is. Fractions compare with whole numbers as fractions. */
export function compareNumbers(a: CelNumber, b: CelNumber): number {
  let left = a instanceof CelUint ? a.value : a;
  let right = b instanceof CelUint ? b.value : b;
  if (typeof left !== typeof right) [left, right] = [Number(left), Number(right)];
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0);
  return a.length - b.length;
}

const surrogate = /[\ud800-\udfff]/;

/** By code points, not by the halves of those that take two in JavaScript. */
function compareText(a: string, b: string): number {
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  return compareBytes(new TextEncoder().encode(a), new TextEncoder().encode(b));
}

/** The order of two values that have one. */
export function celCompare(a: CelValue, b: CelValue): number {
  if (isNumeric(a) && isNumeric(b)) {
    const order = compareNumbers(a, b);
    return Number.isNaN(order) ? fail('NaN values cannot be ordered') : order;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof CelDuration && b instanceof CelDuration) return compareNumbers(a.nanos, b.nanos);
  return fail('no such overload');
}

/** Size for the computation of costs: characters, bytes, items or entries; 1 for everything else. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return textLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return value.tag === 'list' || value.tag === 'map' || value.tag === 'opaque' ? value.size : 1;
}

/** In code points. */
export function textLength(text: string): number {
  let length = text.length;
  if (surrogate.test(text)) for (const char of text) length -= char.length - 1;
  return length;
}
