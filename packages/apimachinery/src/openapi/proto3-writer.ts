import type { Int64 } from '../int64.js';
import { WireType, WireWriter } from '../protobuf/wire-writer.js';
import { writeJson } from '../write-json.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Writes the content of a message. */
export type WriteMessage = (writer: WireWriter, value: unknown) => void;

/** Writes a field, tag and all. Never called without a value. */
export type WriteField = (writer: WireWriter, value: unknown) => void;

export function writeProto3(value: unknown, write: WriteMessage): Uint8Array {
  const writer = new WireWriter(1 << 20);
  write(writer, value);
  return writer.finish();
}

/**
 * A message with these fields, in descending order of their numbers because messages are written from their end. Keys
 * that begin with `x-` are written by `extensions`; other unnamed keys are left out.
 */
export function message(fields: Readonly<Record<string, WriteField>>, extensions?: number): WriteMessage {
  const named = Object.entries(fields);
  const writeExtensions =
    extensions === undefined
      ? undefined
      : many(
          extensions,
          entry(() => anything),
        );
  return (writer, value) => {
    const object = value as JsonObject;
    writeExtensions?.(
      writer,
      Object.entries(object).filter(([key]) => key.startsWith('x-')),
    );
    for (const [key, write] of named) if (object[key] !== undefined) write(writer, object[key]);
  };
}

/** Empty text is left out, as are false and zero below. */
export function text(number: number): WriteField {
  return (writer, value) => {
    if (value !== '') writeText(writer, number, String(value));
  };
}

export function flag(number: number): WriteField {
  return (writer, value) => {
    if (value !== true) return;
    writer.varint(1);
    writer.tag(number, WireType.varint);
  };
}

export function whole(number: number): WriteField {
  return (writer, value) => {
    if (value === 0) return;
    writer.int64(value as Int64);
    writer.tag(number, WireType.varint);
  };
}

export function real(number: number): WriteField {
  return (writer, value) => {
    if (value === 0) return;
    writer.double(value as number);
    writer.tag(number, WireType.fixed64);
  };
}

export function texts(number: number): WriteField {
  return (writer, value) => {
    for (const one of [...(value as readonly string[])].reverse()) writeText(writer, number, one);
  };
}

export function one(number: number, write: WriteMessage): WriteField {
  return (writer, value) => {
    const before = writer.length;
    write(writer, value);
    writer.header(number, before);
  };
}

export function many(number: number, write: WriteMessage): WriteField {
  const each = one(number, write);
  return (writer, value) => {
    for (const item of [...(value as readonly unknown[])].reverse()) each(writer, item);
  };
}

/** A map: a message whose field 1 repeats a name and a value. */
export function mapOf(number: number, value: () => WriteMessage): WriteField {
  return one(number, entries(1, value));
}

/** The entries of a map, as field `number` of the message around them. */
export function entries(number: number, value: () => WriteMessage): WriteMessage {
  const write = many(number, entry(value));
  return (writer, map) => write(writer, Object.entries(map as JsonObject));
}

/** The value is looked up when first used, because schemas hold schemas. */
function entry(value: () => WriteMessage): WriteMessage {
  return (writer, pair) => {
    const [name, content] = pair as readonly [string, unknown];
    one(2, value())(writer, content);
    writeText(writer, 1, name);
  };
}

/** A free-form value, as YAML in field 2; JSON is YAML. */
export const anything: WriteMessage = (writer, value) => writeText(writer, 2, `${writeJson(value)}\n`);

function writeText(writer: WireWriter, number: number, value: string): void {
  const before = writer.length;
  writer.text(value);
  writer.header(number, before);
}
