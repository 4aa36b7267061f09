import { parseDurationNanos } from '../../duration.js';
import { formatDouble } from '../../go-float.js';
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  uintType,
} from '../values/cel-type.js';
import type { CelList, CelMap } from '../values/cel-value.js';
import { CelDuration, CelTimestamp, CelTypeValue, CelUint, type CelValue, typeOfValue } from '../values/cel-value.js';
import { sizeOf } from '../values/equality.js';
import { fail } from '../values/evaluation-failure.js';
import { decodeText, floorDivide, formatSeconds, formatTimestamp } from '../values/format-value.js';
import { inRange, parseTimestamp } from '../values/timestamps.js';
import { int64, uint64 } from './operators.js';

const a = typeParameter('A');
const b = typeParameter('B');

function conversionError(from: string, to: string): never {
  return fail(`type conversion error from '${from}' to '${to}'`);
}

function textToInt(text: string): bigint {
  return /^[+-]?\d+$/.test(text) && fitsInt64(BigInt(text)) ? BigInt(text) : conversionError('string', 'int');
}

function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

function textToUint(text: string): CelUint {
  if (!/^\d+$/.test(text) || BigInt.asUintN(64, BigInt(text)) !== BigInt(text))
    return conversionError('string', 'uint');
  return new CelUint(BigInt(text));
}

function doubleToInt(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) return fail('integer overflow');
  return BigInt(Math.trunc(value));
}

function doubleToUint(value: number): CelUint {
  if (!(value >= 0 && value < 2 ** 64)) return fail('unsigned integer overflow');
  return new CelUint(BigInt(Math.trunc(value)));
}

const infinite = /^([+-]?)inf(?:inity)?$/i;

function textToDouble(text: string): number {
  const [whole, sign] = infinite.exec(text) ?? [];
  if (whole !== undefined) return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = decimalForm.test(text) ? Number(text.replaceAll('_', '')) : hexadecimal(text);
  return Number.isFinite(value) ? value : conversionError('string', 'double');
}

/** Underscores may stand between digits, and after the prefix of a hexadecimal number. */
const decimalForm = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const hexForm = /^([+-])?0x(_?[\da-f]+(?:_[\da-f]+)*)?(?:\.((?:[\da-f]+(?:_[\da-f]+)*)?))?p([+-]?\d+(?:_\d+)*)$/i;

/** `0x1.8p4` is 24; NaN for anything else. */
function hexadecimal(text: string): number {
  const [, sign, whole = '', fraction = '', power = ''] = hexForm.exec(text.replace(/^\+/, '')) ?? [];
  const digits = (whole + fraction).replaceAll('_', '');
  if (digits === '') return Number.NaN;
  const exponent = Number(power.replaceAll('_', '')) - 4 * fraction.replaceAll('_', '').length;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** exponent;
  return sign === '-' ? -value : value;
}

const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function textToBool(text: string): boolean {
  if (trueWords.has(text)) return true;
  return falseWords.has(text) ? false : conversionError('string', 'bool');
}

export function textToDuration(text: string): CelDuration {
  const nanos = parseDurationNanos(text);
  return nanos === undefined ? conversionError('string', 'google.protobuf.Duration') : new CelDuration(nanos);
}

export function textToTimestamp(text: string): CelTimestamp {
  return parseTimestamp(text) ?? conversionError('string', 'google.protobuf.Timestamp');
}

function secondsToTimestamp(seconds: bigint): CelTimestamp {
  const nanos = seconds * 1_000_000_000n;
  return inRange(nanos) ? new CelTimestamp(nanos) : fail('timestamp overflow');
}

export const conversions: readonly FunctionDeclaration[] = [
  declare(
    'int',
    global(signature('int64_to_int64', [intType], intType), (x: bigint) => x),
    global(signature('double_to_int64', [doubleType], intType), doubleToInt),
    global(signature('duration_to_int64', [durationType], intType), (x: CelDuration) => x.nanos),
    global(signature('string_to_int64', [stringType], intType), textToInt),
    global(signature('timestamp_to_int64', [timestampType], intType), (x: CelTimestamp) =>
      floorDivide(x.nanos, 1_000_000_000n),
    ),
    global(signature('uint64_to_int64', [uintType], intType), (x: CelUint) => int64(x.value)),
  ),
  declare(
    'uint',
    global(signature('uint64_to_uint64', [uintType], uintType), (x: CelUint) => x),
    global(signature('double_to_uint64', [doubleType], uintType), doubleToUint),
    global(signature('int64_to_uint64', [intType], uintType), (x: bigint) => uint64(x)),
    global(signature('string_to_uint64', [stringType], uintType), textToUint),
  ),
  declare(
    'double',
    global(signature('double_to_double', [doubleType], doubleType), (x: number) => x),
    global(signature('int64_to_double', [intType], doubleType), (x: bigint) => Number(x)),
    global(signature('string_to_double', [stringType], doubleType), textToDouble),
    global(signature('uint64_to_double', [uintType], doubleType), (x: CelUint) => Number(x.value)),
  ),
  declare(
    'bool',
    global(signature('bool_to_bool', [boolType], boolType), (x: boolean) => x),
    global(signature('string_to_bool', [stringType], boolType), textToBool),
  ),
  declare(
    'bytes',
    global(signature('bytes_to_bytes', [bytesType], bytesType), (x: Uint8Array) => x),
    global(signature('string_to_bytes', [stringType], bytesType), (x: string) => new TextEncoder().encode(x)),
  ),
  declare(
    'string',
    global(signature('string_to_string', [stringType], stringType), (x: string) => x),
    global(signature('bool_to_string', [boolType], stringType), (x: boolean) => String(x)),
    global(signature('bytes_to_string', [bytesType], stringType), decodeText),
    global(signature('double_to_string', [doubleType], stringType), formatDouble),
    global(signature('duration_to_string', [durationType], stringType), formatSeconds),
    global(signature('int64_to_string', [intType], stringType), (x: bigint) => String(x)),
    global(signature('timestamp_to_string', [timestampType], stringType), formatTimestamp),
    global(signature('uint64_to_string', [uintType], stringType), (x: CelUint) => String(x.value)),
  ),
  declare(
    'duration',
    global(signature('duration_to_duration', [durationType], durationType), (x: CelDuration) => x),
    global(signature('int64_to_duration', [intType], durationType), (x: bigint) => new CelDuration(x)),
    global(signature('string_to_duration', [stringType], durationType), textToDuration),
  ),
  declare(
    'timestamp',
    global(signature('timestamp_to_timestamp', [timestampType], timestampType), (x: CelTimestamp) => x),
    global(signature('int64_to_timestamp', [intType], timestampType), secondsToTimestamp),
    global(signature('string_to_timestamp', [stringType], timestampType), textToTimestamp),
  ),
  declare(
    'dyn',
    global(signature('to_dyn', [a], dynType), (x: CelValue) => x),
  ),
  declare(
    'type',
    global(signature('type', [a], typeOfType(a)), (x: CelValue) => new CelTypeValue(typeOfValue(x).name)),
  ),
  declare('size', ...sizes('size', global), ...sizes('', member)),
];

function sizes(prefix: string, form: typeof global) {
  const id = (type: string) => (prefix === '' ? `${type}_size` : `${prefix}_${type}`);
  const size = (value: string | Uint8Array | CelList | CelMap) => BigInt(sizeOf(value));
  return [
    form(signature(id('string'), [stringType], intType), size),
    form(signature(id('bytes'), [bytesType], intType), size),
    form(signature(id('list'), [listType(a)], intType), size),
    form(signature(id('map'), [mapType(a, b)], intType), size),
  ];
}
