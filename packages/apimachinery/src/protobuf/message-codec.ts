import type { ObjectSchema, Schema } from '../schema.js';
import { readInto, readValue, writeList, writeValue } from './field-values.js';
import { readMapEntry, writeMap } from './map-entries.js';
import { type FieldPlan, type MessagePlan, planMessage, type ValuePlan } from './message-plan.js';
import { scalarCodecs } from './scalar-codecs.js';
import type { ValueCodec } from './value-codec.js';
import { malformed, type WireReader } from './wire-reader.js';
import { WireType, type WireWriter } from './wire-writer.js';

type JsonObject = Record<string, unknown>;

/**
 * An object as a message, as Go writes it: fields that are values there are written even when they are empty,
 * fields that are pointers only when they are set, lists and maps only when there is something in them.
 */
export class MessageCodec implements ValueCodec {
  readonly wireType = WireType.bytes;
  readonly #makePlan: () => MessagePlan;
  #plan: MessagePlan | undefined;

  constructor(schema: ObjectSchema, codecOf: (schema: Schema) => ValueCodec) {
    this.#makePlan = () => planMessage(schema, codecOf);
  }

  read(reader: WireReader): JsonObject {
    const plan = this.#getPlan();
    const object: JsonObject = {};
    readFields(object, plan, reader);
    for (const field of plan.filled) if (object[field.name] === undefined) object[field.name] = emptyOf(field);
    return object;
  }

  write(writer: WireWriter, value: unknown): void {
    writeFields(writer, this.#getPlan(), (value ?? {}) as JsonObject);
  }

  empty(): JsonObject {
    const object: JsonObject = {};
    for (const field of this.#getPlan().filled) object[field.name] = emptyOf(field);
    return object;
  }

  /** Made when first used, because messages hold messages of their own kind. */
  #getPlan(): MessagePlan {
    this.#plan ??= this.#makePlan();
    return this.#plan;
  }
}

function emptyOf({ presence, shape, codec }: ValuePlan): unknown {
  return presence === 'null' || shape !== 'one' ? null : codec.empty();
}

function readFields(object: JsonObject, plan: MessagePlan, reader: WireReader): void {
  while (reader.position < reader.limit) {
    const field = plan.byNumber[reader.field()];
    if (field === undefined) reader.skip();
    else readField(object, field, reader);
  }
}

function readField(object: JsonObject, field: FieldPlan, reader: WireReader): void {
  if (field.shape === 'embedded') {
    const outer = enterMessage(reader);
    readFields(object, field.message, reader);
    reader.leave(outer);
  } else if (field.shape === 'one') {
    const value = readValue(field.codec, reader);
    if (isKept(value, field)) object[field.name] = value;
  } else if (field.shape === 'list') {
    object[field.name] ??= [];
    readInto(object[field.name] as unknown[], field.codec, reader);
  } else {
    const outer = enterMessage(reader);
    object[field.name] ??= {};
    readMapEntry(object[field.name] as JsonObject, field.codec, reader);
    reader.leave(outer);
  }
}

function enterMessage(reader: WireReader): number {
  if (reader.wireType !== WireType.bytes) throw malformed(`wrong wire type ${reader.wireType} for a message`);
  return reader.enter();
}

function isKept(value: unknown, { presence }: ValuePlan): boolean {
  if (presence === 'always' || presence === 'null') return true;
  if (presence === 'given') return value !== null;
  return value !== '' && value !== 0 && value !== false && value !== null;
}

function writeFields(writer: WireWriter, plan: MessagePlan, object: JsonObject): void {
  for (let i = plan.fields.length - 1; i >= 0; i--) writeField(writer, plan.fields[i] as FieldPlan, object);
}

function writeField(writer: WireWriter, field: FieldPlan, object: JsonObject): void {
  if (field.shape === 'embedded') {
    const before = writer.length;
    writeFields(writer, field.message, object);
    writer.header(field.number, before);
    return;
  }
  const value = object[field.name];
  if (field.shape === 'list') writeList(writer, value as unknown[] | undefined, field);
  else if (field.shape === 'map') writeMap(writer, value as JsonObject | undefined, field);
  else if (isWritten(value, field)) writeValue(writer, value, field);
}

/** Absent pointers and absent bytes are not written; absent values are written as their empty value. */
function isWritten(value: unknown, { presence, codec }: ValuePlan): boolean {
  if (value !== undefined && value !== null) return true;
  if (presence === 'given' || presence === 'null') return false;
  return codec !== scalarCodecs.bytes;
}
