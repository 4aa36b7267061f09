import type { ObjectSchema, Schema } from '../schema.js';
import { readInto, readValue, writeList, writeValue } from './field-values.js';
import { readMapEntry, writeMap } from './map-entries.js';
import { type FieldPlan, type MessagePlan, planMessage } from './message-plan.js';
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

  read(reader: WireReader, end: number): JsonObject {
    const plan = this.#getPlan();
    const object: JsonObject = {};
    readFields(object, plan, reader, end);
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

function emptyOf({ presence, shape, codec }: FieldPlan): unknown {
  return presence === 'null' || shape !== 'one' || codec === undefined ? null : codec.empty();
}

function readFields(object: JsonObject, plan: MessagePlan, reader: WireReader, end: number): void {
  while (reader.position < end) {
    const tag = reader.varint();
    const wireType = tag & 7;
    const field = plan.byNumber[tag >>> 3];
    if (field !== undefined) readField(object, field, { reader, wireType, end });
    else if (tag < 8) throw malformed(`illegal tag ${tag}`);
    else reader.skip(wireType, end);
  }
}

interface ReadAt {
  readonly reader: WireReader;
  readonly wireType: number;
  readonly end: number;
}

function readField(object: JsonObject, field: FieldPlan, at: ReadAt): void {
  const { name, codec, shape } = field;
  if (codec === undefined) readEmbedded(object, field, at);
  else if (shape === 'list') {
    object[name] ??= [];
    readInto(object[name] as unknown[], codec, at);
  } else if (at.wireType !== (shape === 'map' ? WireType.bytes : codec.wireType)) {
    throw malformed(`wrong wire type ${at.wireType} for field ${name}`);
  } else if (shape === 'map') {
    object[name] ??= {};
    readMapEntry(object[name] as JsonObject, codec, at);
  } else {
    const value = readValue(codec, at.reader, at.end);
    if (isKept(value, field)) object[name] = value;
  }
}

function isKept(value: unknown, { presence }: FieldPlan): boolean {
  if (presence === 'always' || presence === 'null') return true;
  if (presence === 'given') return value !== null;
  return value !== '' && value !== 0 && value !== false && value !== null;
}

function readEmbedded(object: JsonObject, { embedded }: FieldPlan, { reader, wireType, end }: ReadAt): void {
  if (wireType !== WireType.bytes) throw malformed(`wrong wire type ${wireType} for a message`);
  const last = reader.enter(end);
  if (embedded) readFields(object, embedded, reader, last);
  reader.leave(last);
}

function writeFields(writer: WireWriter, plan: MessagePlan, object: JsonObject): void {
  for (let i = plan.fields.length - 1; i >= 0; i--) writeField(writer, plan.fields[i] as FieldPlan, object);
}

function writeField(writer: WireWriter, field: FieldPlan, object: JsonObject): void {
  const { number, codec, embedded } = field;
  if (codec === undefined) {
    const before = writer.length;
    if (embedded) writeFields(writer, embedded, object);
    writer.header(number, before);
    return;
  }
  const value = object[field.name];
  if (field.shape === 'list') writeList(writer, value as unknown[] | undefined, { number, codec });
  else if (field.shape === 'map') writeMap(writer, value as JsonObject | undefined, { number, codec });
  else if (isWritten(value, field)) writeValue(writer, value, { number, codec });
}

/** Absent pointers and absent bytes are not written; absent values are written as their empty value. */
function isWritten(value: unknown, { presence, codec }: FieldPlan): boolean {
  if (value !== undefined && value !== null) return true;
  if (presence === 'given' || presence === 'null') return false;
  return codec !== scalarCodecs.bytes;
}
