/**
 * A small table-driven codec for protocol buffers: only what etcd's API needs. Integers are JavaScript numbers; no
 * value in the used API exceeds their range.
 */
export type FieldType = 'int' | 'bool' | 'bytes' | 'text' | MessageTable;

export interface Field {
  readonly number: number;
  readonly type: FieldType;
  readonly repeated?: true;
}

/** The fields of a message by their name. */
export interface MessageTable {
  readonly [name: string]: Field;
}

type ScalarOf<T extends FieldType> = T extends 'int'
  ? number
  : T extends 'bool'
    ? boolean
    : T extends 'bytes'
      ? Uint8Array
      : T extends 'text'
        ? string
        : T extends MessageTable
          ? Message<T>
          : never;

type FieldValue<F extends Field> = F extends { readonly repeated: true }
  ? readonly ScalarOf<F['type']>[]
  : ScalarOf<F['type']>;

/** A message as a plain value. Fields that are absent on the wire are absent here: zero, empty or false. */
export type Message<T extends MessageTable> = { readonly [K in keyof T]?: FieldValue<T[K]> | undefined };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeMessage<T extends MessageTable>(table: T, message: Message<T>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [name, field] of Object.entries<Field>(table)) {
    const value: unknown = message[name];
    if (value === undefined) continue;
    for (const item of field.repeated ? (value as unknown[]) : [value]) writeField(parts, field, item);
  }
  return Buffer.concat(parts);
}

function writeField(parts: Uint8Array[], { number, type }: Field, value: unknown): void {
  if (type === 'int' || type === 'bool') {
    parts.push(varint(number * 8), varint(Number(value)));
    return;
  }
  const bytes = bytesOf(type, value);
  parts.push(varint(number * 8 + 2), varint(bytes.length), bytes);
}

function bytesOf(type: 'bytes' | 'text' | MessageTable, value: unknown): Uint8Array {
  if (type === 'bytes') return value as Uint8Array;
  if (type === 'text') return encoder.encode(value as string);
  return encodeMessage(type, value as Message<MessageTable>);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

export function decodeMessage<T extends MessageTable>(table: T, bytes: Uint8Array): Message<T> {
  const fields = fieldsByNumber(table);
  const message: Record<string, unknown> = {};
  const reader = new Reader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    const field = fields.get(Math.floor(tag / 8));
    const raw = reader.value(tag % 8);
    if (!field || raw === undefined) continue;
    const value = fieldValue(field.type, raw);
    if (field.repeated) ((message[field.name] ??= []) as unknown[]).push(value);
    else message[field.name] = value;
  }
  return message as Message<T>;
}

type NamedField = Field & { readonly name: string };
const indexes = new WeakMap<MessageTable, ReadonlyMap<number, NamedField>>();

function fieldsByNumber(table: MessageTable): ReadonlyMap<number, NamedField> {
  let index = indexes.get(table);
  if (!index) {
    index = new Map(Object.entries(table).map(([name, field]) => [field.number, { name, ...field }]));
    indexes.set(table, index);
  }
  return index;
}

function fieldValue(type: FieldType, raw: number | Uint8Array): unknown {
  if (typeof raw === 'number') return type === 'bool' ? raw !== 0 : raw;
  if (type === 'bytes') return raw;
  if (type === 'text') return decoder.decode(raw);
  return decodeMessage(type as MessageTable, raw);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    const start = this.#at;
    while ((this.#bytes[this.#at] ?? 0) >= 0x80) this.#at++;
    const end = ++this.#at;
    if (end > this.#bytes.length) throw new RangeError('a message ends in the middle of a number');
    return end - start > 7 ? this.#longVarint(start, end) : this.#shortVarint(start, end);
  }

  #shortVarint(start: number, end: number): number {
    let value = 0;
    for (let at = end - 1; at >= start; at--) value = value * 0x80 + (this.#bytes[at]! & 0x7f);
    return value;
  }

  /** Seven bytes fit a JavaScript number; longer ones are usually negative. */
  #longVarint(start: number, end: number): number {
    let value = 0n;
    for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt(this.#bytes[at]! & 0x7f);
    return Number(BigInt.asIntN(64, value));
  }

  /** The value behind a tag; undefined for an unused wire type. */
  value(wireType: number): number | Uint8Array | undefined {
    if (wireType === 0) return this.varint();
    if (wireType === 2) return this.#take(this.varint());
    if (wireType === 1 || wireType === 5) {
      this.#take(wireType === 1 ? 8 : 4);
      return undefined;
    }
    throw new RangeError(`a message has a field of unknown wire type ${wireType}`);
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('a message ends in the middle of a field');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
