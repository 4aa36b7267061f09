import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { parseDurationNanos } from '../duration.js';
import type { Schema } from '../schema.js';
import { parseTime } from '../time.js';

/**
 * A JSON value as expressions see it: whole numbers are integers, as far as the schema does not say otherwise. With a
 * schema, times are timestamps and durations are durations.
 */
export function toCel(value: unknown, schema?: Schema): unknown {
  switch (typeof value) {
    case 'number':
      return schema?.type === 'double' || !Number.isSafeInteger(value) ? value : BigInt(value);
    case 'string':
      return textToCel(value, schema);
    case 'object':
      return value === null ? null : Array.isArray(value) ? listToCel(value, schema) : objectToCel(value, schema);
    default:
      return value ?? null;
  }
}

function textToCel(value: string, schema: Schema | undefined): unknown {
  if (schema?.type === 'time' || schema?.type === 'microTime') {
    const at = parseTime(value);
    return at === undefined ? value : new Date(at);
  }
  if (schema?.type === 'duration') {
    const nanos = parseDurationNanos(value);
    return nanos === undefined ? value : new Duration(nanos / 1_000_000_000n, Number(nanos % 1_000_000_000n));
  }
  return value;
}

function listToCel(list: readonly unknown[], schema: Schema | undefined): unknown[] {
  const items = schema?.type === 'list' ? schema.items : undefined;
  return list.map((item) => toCel(item, items));
}

/** A map, so that keys such as `__proto__` and `constructor` are only keys. */
function objectToCel(object: object, schema: Schema | undefined): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (const [key, value] of Object.entries(object)) {
    const field =
      schema?.type === 'object' ? schema.fields.get(key)?.schema : schema?.type === 'map' ? schema.values : undefined;
    map.set(key, toCel(value, field));
  }
  return map;
}

/** The result of an expression as a JSON value. Integers beyond 2^53 lose their last digits. */
export function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), fromCel(item)]));
  if (value instanceof Date) return value.toISOString();
  if (value instanceof UnsignedInt) return Number(value.valueOf());
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value));
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromCel(item)]));
}
