import type { AnySchema, FieldSchema, Schema } from '../schema.js';
import { readInto, readValue, writeList, writeValue } from './field-values.js';
import type { ValueCodec } from './value-codec.js';
import type { WireReader } from './wire-reader.js';
import { WireType, type WireWriter } from './wire-writer.js';

type Union = NonNullable<AnySchema['union']>;
type UnionType = keyof Union;

interface Alternative {
  readonly type: UnionType;
  readonly number: number;
  readonly codec: ValueCodec;
}

/** A value that is an object, a list or a flag, each with its field in the message. */
export class UnionCodec implements ValueCodec {
  readonly wireType = WireType.bytes;
  readonly #alternatives: () => readonly Alternative[];

  constructor(union: Union, codecOf: (schema: Schema) => ValueCodec) {
    let alternatives: readonly Alternative[] | undefined;
    // Looked up when first used: a JSON schema holds unions of itself.
    this.#alternatives = () => {
      alternatives ??= Object.values(union).map((field) => alternative(field, codecOf));
      return alternatives;
    };
  }

  read(reader: WireReader): unknown {
    const list: unknown[] = [];
    const found: Partial<Record<UnionType, unknown>> = {};
    while (reader.position < reader.limit) {
      const number = reader.field();
      const one = this.#alternatives().find((alternative) => alternative.number === number);
      if (!one) reader.skip();
      else if (one.type === 'list') readInto(list, one.codec, reader);
      else found[one.type] = readValue(one.codec, reader);
    }
    // A schema comes with a flag that says no more than that.
    return found.object ?? (list.length > 0 ? list : (found.boolean ?? null));
  }

  write(writer: WireWriter, value: unknown): void {
    const type = typeOf(value);
    for (const one of [...this.#alternatives()].sort((a, b) => b.number - a.number)) {
      if (one.type === 'boolean') writeValue(writer, value !== false, one);
      else if (one.type === type && type === 'list') writeList(writer, value as unknown[], one);
      else if (one.type === type) writeValue(writer, value, one);
    }
  }

  empty(): null {
    return null;
  }
}

function alternative({ name, schema, proto }: FieldSchema, codecOf: (schema: Schema) => ValueCodec): Alternative {
  const codec = codecOf(schema.type === 'list' ? schema.items : schema);
  return { type: name as UnionType, number: proto?.[0] ?? 0, codec };
}

function typeOf(value: unknown): UnionType {
  return Array.isArray(value) ? 'list' : typeof value === 'boolean' ? 'boolean' : 'object';
}
