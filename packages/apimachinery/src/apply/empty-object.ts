import type { ObjectSchema, Schema } from '../schema.js';

/** Empty objects made so far, by their schemas, which never change: a cache and not state. */
const emptyObjects = new WeakMap<Schema, Readonly<Record<string, unknown>>>();

/**
 * The object of a type before anything was said about it: just the fields that are always there. Creating is changing
 * from this one, so that a new object's owner owns what was said, and not the frame in which it was.
 */
export function emptyObject(schema: Schema): Readonly<Record<string, unknown>> {
  if (schema.type !== 'object') return {};
  const known = emptyObjects.get(schema);
  if (known) return known;
  const empty = Object.freeze(makeEmpty(schema));
  emptyObjects.set(schema, empty);
  return empty;
}

function makeEmpty(schema: ObjectSchema): Record<string, unknown> {
  const empty: Record<string, unknown> = {};
  for (const field of schema.fields.values()) {
    if (field.presence === 'null') empty[field.name] = null;
    else if (field.presence === 'always') empty[field.name] = zeroOf(field.schema);
  }
  return empty;
}

function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case 'object':
      return emptyObject(schema);
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    default:
      return null;
  }
}
