import { isRecord } from '@coracle/base';
import { int64, isInt64 } from '../../int64.js';
import { JsonList } from './cel-list.js';
import { JsonMap } from './cel-map.js';
import { CelDuration, CelMap, CelOptional, CelTimestamp, CelTypeValue, CelUint, type CelValue } from './cel-value.js';
import { formatSeconds, formatTimestamp } from './format-value.js';

/** A JSON value as CEL sees it without a schema: whole numbers are ints. Lists and objects are converted when read. */
export function fromJson(json: unknown): CelValue {
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json;
    case 'number':
      return Number.isSafeInteger(json) ? BigInt(json) : json;
    default:
      if (Array.isArray(json)) return new JsonList(json, fromJson);
      return isRecord(json) ? new JsonMap(json, (_, value) => fromJson(value)) : null;
  }
}

/** The result of an expression as a JSON value. A uint beyond int64 loses its last digits. */
export function toJson(value: CelValue): unknown {
  if (typeof value === 'bigint') return int64(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''));
  if (value instanceof CelUint) return isInt64(value.value) ? int64(value.value) : Number(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatSeconds(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  if (value.tag === 'list') return Array.from(value, toJson);
  if (value instanceof CelMap)
    return Object.fromEntries(Array.from(value.keys(), (key) => [String(toJson(key)), toJson(value.get(key) ?? null)]));
  return String(value);
}
