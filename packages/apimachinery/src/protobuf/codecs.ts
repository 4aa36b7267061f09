import type { Schema } from '../schema.js';
import { ListCodec } from './list-codec.js';
import { MessageCodec } from './message-codec.js';
import { jsonCodec, scalarCodecs } from './scalar-codecs.js';
import { UnionCodec } from './union-codec.js';
import type { ValueCodec } from './value-codec.js';

/** Schemas are immutable, so results computed from them are cached. */
const made = new WeakMap<Schema, ValueCodec>();

/** The encoding of a value of this schema, as a message or as a scalar within one. */
export function codecOf(schema: Schema): ValueCodec {
  if (schema.type !== 'object' && schema.type !== 'any' && schema.type !== 'list' && schema.type !== 'map')
    return scalarCodecs[schema.type];
  const entry = made.get(schema);
  if (entry) return entry;
  const codec = makeCodec(schema);
  made.set(schema, codec);
  return codec;
}

function makeCodec(schema: Schema): ValueCodec {
  if (schema.type === 'object') return new MessageCodec(schema, codecOf);
  if (schema.type === 'any') return schema.union ? new UnionCodec(schema.union, codecOf) : jsonCodec;
  if (schema.type === 'list') return new ListCodec(codecOf(schema.items));
  throw new Error(`protobuf has no message for a ${schema.type} inside a list or a map`);
}
