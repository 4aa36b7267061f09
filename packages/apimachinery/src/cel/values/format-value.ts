import { quoteLikeGo, shortEscapes } from '../../field-error.js';
import { formatDouble } from '../../go-float.js';
import {
  CelDuration,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  typeOfValue,
} from './cel-value.js';
import { fail } from './evaluation-failure.js';
import { fixedPoint } from './fixed-point.js';

/** In seconds: `90.25s`. */
export function formatSeconds({ nanos }: CelDuration): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = fractionOf(size % 1_000_000_000n);
  return `${sign}${size / 1_000_000_000n}${fraction}s`;
}

function fractionOf(nanos: bigint): string {
  return nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

/** RFC 3339 with as many digits as there are, in the zone that it was written in. */
export function formatTimestamp({ nanos, offsetMinutes }: CelTimestamp): string {
  const seconds = floorDivide(nanos, 1_000_000_000n);
  const fraction = fractionOf(nanos - seconds * 1_000_000_000n);
  const local = new Date(Number(seconds) * 1_000 + offsetMinutes * 60_000);
  const date = local
    .toISOString()
    .replace(/^[+-]00/, '')
    .replace(/\.\d+Z$/, '');
  return `${date}${fraction}${zoneOf(offsetMinutes)}`;
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

function zoneOf(offset: number): string {
  if (offset === 0) return 'Z';
  const two = (part: number) => String(part).padStart(2, '0');
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Text of bytes that are UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** As `%s` writes a value: text as it is. Inside of lists and maps values look like literals. */
export function formatValue(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof CelDuration) return formatSeconds(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof Uint8Array) return decodeText(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof CelOpaque || value instanceof CelOptional) return fail(stringClause(typeOfValue(value).name));
  return formatInside(value);
}

function formatInside(value: CelValue): string {
  switch (typeof value) {
    case 'string':
      return quoteLikeGo(value);
    case 'number':
      return formatInnerDouble(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return formatObject(value);
  }
}

/** With six digits after the point, always. */
function formatInnerDouble(value: number): string {
  return Number.isFinite(value) ? fixedPoint(value, 6) : `"${formatDouble(value)}"`;
}

function formatObject(value: Exclude<CelValue, string | number | bigint | boolean>): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `b${quoteLikeGo(decodeText(value))}`;
  if (value instanceof CelDuration) return `duration(${quoteText(formatSeconds(value))})`;
  if (value instanceof CelTimestamp) return `timestamp(${quoteText(formatTimestamp(value))})`;
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelUint) return String(value.value);
  if (value.tag === 'list') return `[${Array.from(value, formatInside).join(', ')}]`;
  if (value.tag !== 'map')
    return fail(`error during formatting: no formatting function for ${typeOfValue(value).name}`);
  const entries = Array.from(value.keys(), (key) => [formatKey(key), formatInside(value.get(key) ?? null)] as const);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map((entry) => entry.join(':')).join(', ')}}`;
}

function formatKey(key: CelValue): string {
  if (typeof key === 'number' || key === null || (typeof key === 'object' && !(key instanceof CelUint)))
    return fail(`error during formatting: no formatting function for map key of type ${typeOfValue(key).name}`);
  return formatInside(key);
}

export function stringClause(type: string): string {
  const kinds = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
  return `error during formatting: string clause can only be used on ${kinds}, was given ${type}`;
}

/** Quoted, with Go's escapes. */
export function quoteText(text: string): string {
  const body = text.replace(/["\\\p{Cc}]/gu, (char) => escapes[char] ?? char);
  return `"${body}"`;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  ...shortEscapes,
};
