import { MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';

/** The messages and enums of a protobuf package: field name → [number, type]. */
export interface Layout {
  readonly messages: Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Plain values, with fields in camel case, to bytes and back. */
export interface Codec {
  encode(message: string, value: object): Uint8Array;
  /** Fields that the bytes do not have are absent, except enums, which have their first value. */
  decode(message: string, bytes: Uint8Array): Record<string, unknown>;
}

type Kind = 'varint' | 'bool' | 'double' | 'bytes' | 'string' | 'enum' | 'message' | 'map';

interface Field {
  readonly name: string;
  readonly number: number;
  readonly kind: Kind;
  readonly repeated: boolean;
  /** Of a message. */
  readonly type: string;
}

const scalars: Readonly<Record<string, Kind>> = {
  int32: 'varint',
  int64: 'varint',
  uint32: 'varint',
  uint64: 'varint',
  bool: 'bool',
  double: 'double',
  bytes: 'bytes',
  string: 'string',
};
const wireTypes: Readonly<Record<Kind, number>> = {
  varint: 0,
  bool: 0,
  enum: 0,
  double: 1,
  bytes: 2,
  string: 2,
  message: 2,
  map: 2,
};

export function createCodec(layout: Layout): Codec {
  const tables = new Map<string, readonly Field[]>();
  const fieldsOf = (message: string): readonly Field[] => {
    const found = tables.get(message) ?? readFields(layout, message);
    tables.set(message, found);
    return found;
  };
  const codec: Codec = {
    encode: (message, value) => {
      const writer = new MessageWriter();
      const values = new Map(Object.entries(value));
      for (const field of fieldsOf(message)) writeField(codec, writer, { field, value: values.get(field.name) });
      return writer.finish();
    },
    decode: (message, bytes) => readMessage(codec, fieldsOf(message), bytes),
  };
  return codec;
}

function readFields({ messages, enums }: Layout, message: string): Field[] {
  const table = messages[message];
  if (!table) throw new TypeError(`there is no message ${message}`);
  const enumNames = new Set(Object.keys(enums).map((name) => name.slice(name.lastIndexOf('.') + 1)));
  return Object.entries(table).map(([name, [number, text]]) => {
    const repeated = text.startsWith('repeated ');
    const type = repeated ? text.slice('repeated '.length) : text;
    const other = type.startsWith('map<') ? 'map' : enumNames.has(type) ? 'enum' : 'message';
    return { name: camelCase(name), number, kind: scalars[type] ?? other, repeated, type };
  });
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

interface Written {
  readonly field: Field;
  readonly value: unknown;
}

function writeField(codec: Codec, writer: MessageWriter, { field, value }: Written): void {
  if (value === undefined || value === null) return;
  if (field.kind === 'map') {
    for (const entry of Object.entries(value)) writeEntry(codec, writer, { field, entry });
    return;
  }
  for (const item of field.repeated ? (value as readonly unknown[]) : [value]) {
    writer.varint(field.number * 8 + wireTypes[field.kind]);
    writeValue(codec, writer, { field, value: item });
  }
}

/** Keys of maps are strings here; values are strings or messages. */
function writeEntry(
  codec: Codec,
  writer: MessageWriter,
  { field, entry: [key, value] }: { readonly field: Field; readonly entry: readonly [string, unknown] },
): void {
  const entry = new MessageWriter();
  entry.varint(8 + 2);
  entry.text(key);
  entry.varint(16 + 2);
  const type = valueTypeOf(field);
  if (type === 'string') entry.text(String(value));
  else entry.bytes(codec.encode(type, value as object));
  writer.varint(field.number * 8 + 2);
  writer.bytes(entry.finish());
}

/** Of a map: `map<string, Device>`. */
function valueTypeOf({ type }: Field): string {
  return /^map<string, (\w+)>$/.exec(type)?.[1] ?? 'string';
}

function writeValue(codec: Codec, writer: MessageWriter, { field, value }: Written): void {
  const { kind, type } = field;
  if (kind === 'string') writer.text(String(value));
  else if (kind === 'bytes') writer.bytes(value as Uint8Array);
  else if (kind === 'message') writer.bytes(codec.encode(type, value as object));
  else if (kind === 'double') writer.double(value as number);
  else writer.varint(Number(value));
}

function readMessage(codec: Codec, fields: readonly Field[], bytes: Uint8Array): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const { kind, repeated, name } of fields) if (kind === 'enum' && !repeated) message[name] = 0;
  const reader = new MessageReader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    const field = fields.find(({ number }) => number === tag >>> 3);
    if (field) readField(codec, reader, { field, message, wireType: tag & 7 });
    else reader.skip(tag & 7);
  }
  return message;
}

interface Reading {
  readonly field: Field;
  readonly message: Record<string, unknown>;
  readonly wireType: number;
}

function readField(codec: Codec, reader: MessageReader, { field, message, wireType }: Reading): void {
  const { name, kind, repeated } = field;
  if (kind === 'map') {
    const [key, value] = readEntry(codec, field, reader.bytes());
    const entries = (message[name] ??= Object.create(null)) as Record<string, unknown>;
    entries[key] = value;
    return;
  }
  if (!repeated) {
    message[name] = readValue(codec, reader, field);
    return;
  }
  const list = (message[name] ??= []) as unknown[];
  // Numbers of a list may come packed into one field.
  if (wireType === 2 && wireTypes[kind] !== 2) {
    const packed = new MessageReader(reader.bytes());
    while (!packed.done) list.push(readValue(codec, packed, field));
  } else list.push(readValue(codec, reader, field));
}

function readEntry(codec: Codec, field: Field, bytes: Uint8Array): [string, unknown] {
  const type = valueTypeOf(field);
  const entry: [string, unknown] = ['', type === 'string' ? '' : {}];
  const reader = new MessageReader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === 10) entry[0] = reader.text();
    else if (tag === 18) entry[1] = type === 'string' ? reader.text() : codec.decode(type, reader.bytes());
    else reader.skip(tag & 7);
  }
  return entry;
}

function readValue(codec: Codec, reader: MessageReader, { kind, type }: Field): unknown {
  if (kind === 'string') return reader.text();
  if (kind === 'bytes') return reader.bytes();
  if (kind === 'message') return codec.decode(type, reader.bytes());
  if (kind === 'double') return reader.double();
  const value = reader.varint();
  return kind === 'bool' ? value !== 0 : value;
}
