import { messageOf } from '@coracle/base';
import { formatDurationNanos, parseDurationNanos } from './duration.js';
import { type Int64, int64OfDouble, isInt64 } from './int64.js';
import { parseQuantity } from './quantity.js';
import type { ScalarType } from './schema.js';
import { canonicalizeMicroTime, canonicalizeTime } from './time.js';

/** Why a scalar was rejected, with the message of Go's decoder. */
export interface ScalarProblem {
  readonly problem: string;
}

type Decoded = string | Int64 | boolean | ScalarProblem;

/** The canonical form of one scalar, or its error. */
export function decodeScalar(type: ScalarType, value: unknown): Decoded {
  return byType[type](value);
}

/** The same of a number that is written with a fraction or an exponent or is beyond int64: it is no integer. */
export function decodeLiteral(type: ScalarType, literal: string): Decoded {
  if (type === 'int32' || type === 'intOrString') return notInteger(literal, 'int32');
  if (type === 'int64') return notInteger(literal, 'int64');
  return decodeScalar(type, type === 'quantity' ? literal : Number(literal));
}

function notInteger(literal: string, type: string): ScalarProblem {
  return { problem: `cannot unmarshal number ${literal} into ${type}` };
}

const byType: Readonly<Record<ScalarType, (value: unknown) => Decoded>> = {
  string: (value) => (typeof value === 'string' ? value : wrongType(value, 'string')),
  boolean: (value) => (typeof value === 'boolean' ? value : wrongType(value, 'bool')),
  int32: (value) => integer(value, { type: 'int32', least: -0x8000_0000, most: 0x7fff_ffff }),
  int64: decodeInt64,
  double: decodeDouble,
  bytes: (value) =>
    typeof value === 'string'
      ? (decodeBytes(value) ?? { problem: `illegal base64 data at input byte ${corruptByte(value)}` })
      : wrongType(value, '[]uint8'),
  time: (value) => time(value, canonicalizeTime),
  microTime: (value) => time(value, canonicalizeMicroTime),
  duration: decodeDuration,
  quantity: decodeQuantity,
  intOrString: (value) => (typeof value === 'string' ? value : byType.int32(value)),
};

interface IntegerType {
  readonly type: string;
  readonly least: number;
  readonly most: number;
}

function integer(value: unknown, { type, least, most }: IntegerType): number | ScalarProblem {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  return wrongType(value, type);
}

function decodeInt64(value: unknown): Int64 | ScalarProblem {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === 'bigint' && isInt64(value)) return value;
  return (typeof value === 'number' ? int64OfDouble(value) : undefined) ?? wrongType(value, 'int64');
}

function decodeDouble(value: unknown): number | ScalarProblem {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : wrongType(value, 'float64');
}

function time(value: unknown, canonicalize: (text: string) => string | undefined): string | ScalarProblem {
  if (typeof value !== 'string') return wrongType(value, 'string');
  return canonicalize(value) ?? { problem: `parsing time ${JSON.stringify(value)}: not in RFC 3339 format` };
}

function decodeDuration(value: unknown): string | ScalarProblem {
  if (typeof value !== 'string') return wrongType(value, 'string');
  const nanos = parseDurationNanos(value);
  return nanos === undefined
    ? { problem: `time: invalid duration ${JSON.stringify(value)}` }
    : formatDurationNanos(nanos);
}

function decodeQuantity(value: unknown): string | ScalarProblem {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    return wrongType(value, 'Quantity');
  try {
    return parseQuantity(String(value).trim()).toString();
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 text as the server would write it, or `undefined` when it is none. Line breaks are allowed and go. */
function decodeBytes(value: string): string | undefined {
  const text = value.includes('\n') || value.includes('\r') ? value.replace(/[\r\n]/g, '') : value;
  if (text.length % 4 !== 0 || !base64.test(text)) return undefined;
  // The bits beyond the last byte may be anything, and come out as zero.
  return text.endsWith('=') ? text.slice(0, -4) + btoa(atob(text.slice(-4))) : text;
}

/** Where Go's decoder of base64 stops: at a byte that may not be there, or where four bytes should have begun. */
function corruptByte(value: string): number {
  const bytes = new TextEncoder().encode(value);
  const isBreak = (at: number) => bytes[at] === 10 || bytes[at] === 13;
  const afterBreaks = (from: number) => {
    let at = from;
    while (isBreak(at)) at++;
    return at;
  };
  let inGroup = 0;
  for (let at = afterBreaks(0); at < bytes.length; at = afterBreaks(at + 1)) {
    const char = String.fromCharCode(bytes[at] ?? 0);
    if (char !== '=' && base64.test(char)) inGroup = (inGroup + 1) % 4;
    else if (char !== '=' || inGroup < 2) return at;
    else if (inGroup === 3) return afterBreaks(at + 1);
    else {
      const second = afterBreaks(at + 1);
      if (second === bytes.length) return second;
      return bytes[second] === bytes[at] ? afterBreaks(second + 1) : second - 1;
    }
  }
  return bytes.length - inGroup;
}

function wrongType(value: unknown, type: string): ScalarProblem {
  const jsonType = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const detail = jsonType === 'number' || jsonType === 'bigint' ? `number ${value}` : jsonType;
  return { problem: `cannot unmarshal ${detail} into ${type}` };
}
