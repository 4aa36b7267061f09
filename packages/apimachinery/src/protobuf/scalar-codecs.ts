import { formatDurationNanos, parseDurationNanos } from '../duration.js';
import type { Int64 } from '../int64.js';
import { canonicalQuantity } from '../quantity.js';
import { readJson } from '../read-json.js';
import type { ScalarType } from '../schema.js';
import { formatMicroTime, formatTime, parseInstant } from '../time.js';
import { writeJson } from '../write-json.js';
import { fromBase64, toBase64 } from './base64.js';
import type { ValueCodec } from './value-codec.js';
import { malformed, type WireReader } from './wire-reader.js';
import { WireType, type WireWriter } from './wire-writer.js';

const text: ValueCodec = {
  wireType: WireType.bytes,
  read: (reader) => reader.restAsText(),
  write: (writer, value) => writer.text((value ?? '') as string),
  empty: () => '',
};

const boolean: ValueCodec = {
  wireType: WireType.varint,
  read: (reader) => reader.varint() !== 0,
  write: (writer, value) => writer.varint(value === true ? 1 : 0),
  empty: () => false,
};

const integer: ValueCodec = {
  wireType: WireType.varint,
  read: (reader) => reader.varint(),
  write: (writer, value) => writer.varint((value ?? 0) as number),
  empty: () => 0,
};

const int64: ValueCodec = {
  wireType: WireType.varint,
  read: (reader) => reader.int64(),
  write: (writer, value) => writer.int64((value ?? 0) as Int64),
  empty: () => 0,
};

const double: ValueCodec = {
  wireType: WireType.fixed64,
  read: (reader) => reader.double(),
  write: (writer, value) => writer.double((value ?? 0) as number),
  empty: () => 0,
};

const bytes: ValueCodec = {
  wireType: WireType.bytes,
  read: (reader) => toBase64(reader.rest()),
  write: (writer, value) => {
    const decoded = fromBase64((value ?? '') as string);
    if (decoded === undefined) throw new Error('a field of bytes is not base64');
    writer.raw(decoded);
  },
  empty: () => null,
};

/** `Quantity { string = 1 }` */
const quantity: ValueCodec = {
  wireType: WireType.bytes,
  read: (reader) => {
    const text = textOf(readSmall(reader).first) || '0';
    try {
      return canonicalQuantity(text);
    } catch {
      throw malformed(`${JSON.stringify(text)} is no quantity`);
    }
  },
  write: (writer, value) => writeText(writer, 1, String(value ?? '0')),
  empty: () => '0',
};

/** `IntOrString { type = 1, intVal = 2, strVal = 3 }`, where type 1 says that it is a string. */
const intOrString: ValueCodec = {
  wireType: WireType.bytes,
  read: (reader) => {
    const { first, second, third } = readSmall(reader);
    return first === 1 ? textOf(third) : numberOf(second);
  },
  write: (writer, value) => {
    const isText = typeof value === 'string';
    writeText(writer, 3, isText ? value : '');
    writeNumber(writer, 2, isText ? 0 : ((value ?? 0) as number));
    writeNumber(writer, 1, isText ? 1 : 0);
  },
  empty: () => 0,
};

/** `Duration { duration = 1 }`, in nanoseconds. */
const duration: ValueCodec = {
  wireType: WireType.bytes,
  read: (reader) => {
    const { first } = readSmall(reader);
    return formatDurationNanos(typeof first === 'string' ? 0n : BigInt(first ?? 0));
  },
  write: (writer, value) => {
    const nanos = parseDurationNanos((value ?? '0s') as string);
    if (nanos === undefined) throw new Error(`${JSON.stringify(value)} is no duration`);
    writeNumber(writer, 1, nanos);
  },
  empty: () => '0s',
};

const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

/** `Time { seconds = 1, nanos = 2 }`. The zero time is an empty message, and `null` in JSON. */
function time(format: (seconds: number, nanos: number) => string, hasFraction: boolean): ValueCodec {
  return {
    wireType: WireType.bytes,
    read: (reader) => {
      if (reader.position === reader.limit) return null;
      const small = readSmall(reader);
      const seconds = numberOf(small.first);
      const nanos = numberOf(small.second);
      if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999_999_999)
        throw malformed('a time is outside the years 1 to 9999');
      return format(seconds, nanos);
    },
    write: (writer, value) => {
      if (value === undefined || value === null) return;
      const instant = parseInstant(value as string);
      if (instant === undefined) throw new Error(`${JSON.stringify(value)} is no RFC 3339 time`);
      const seconds = Math.floor(instant.millis / 1000);
      const nanos = (instant.millis - seconds * 1000) * 1_000_000 + instant.micros * 1000;
      writeNumber(writer, 2, hasFraction ? nanos : 0);
      writeNumber(writer, 1, seconds);
    },
    empty: () => null,
  };
}

export const scalarCodecs: Readonly<Record<ScalarType, ValueCodec>> = {
  string: text,
  boolean,
  int32: integer,
  int64,
  double,
  bytes,
  time: time((seconds) => formatTime(seconds * 1000), false),
  microTime: time((seconds, nanos) => formatMicroTime(seconds * 1000 + nanos / 1_000_000), true),
  duration,
  quantity,
  intOrString,
};

/** `RawExtension`, `FieldsV1` and `JSON`: messages with JSON text as field 1. */
export const jsonCodec: ValueCodec = {
  wireType: WireType.bytes,
  read: (reader) => {
    const json = textOf(readSmall(reader).first);
    if (json === '') return null;
    try {
      return readJson(json);
    } catch {
      throw malformed('an embedded object is not JSON');
    }
  },
  write: (writer, value) => {
    if (value !== undefined) writeText(writer, 1, writeJson(value));
  },
  empty: () => null,
};

/** The first fields of a message that has no more than three, all numbers or texts. */
interface SmallMessage {
  first: string | Int64 | undefined;
  second: string | Int64 | undefined;
  third: string | Int64 | undefined;
}

function readSmall(reader: WireReader): SmallMessage {
  const fields: SmallMessage = { first: undefined, second: undefined, third: undefined };
  while (reader.position < reader.limit) {
    const number = reader.field();
    if (number > 3 || (reader.wireType !== WireType.varint && reader.wireType !== WireType.bytes)) {
      reader.skip();
      continue;
    }
    const value = reader.wireType === WireType.varint ? reader.int64() : reader.text();
    if (number === 1) fields.first = value;
    else if (number === 2) fields.second = value;
    else fields.third = value;
  }
  return fields;
}

function numberOf(value: string | Int64 | undefined): number {
  return typeof value === 'string' ? 0 : Number(value ?? 0);
}

function textOf(value: string | Int64 | undefined): string {
  return typeof value === 'string' ? value : '';
}

function writeText(writer: WireWriter, number: number, value: string): void {
  const before = writer.length;
  writer.text(value);
  writer.header(number, before);
}

function writeNumber(writer: WireWriter, number: number, value: Int64): void {
  writer.int64(value);
  writer.tag(number, WireType.varint);
}
