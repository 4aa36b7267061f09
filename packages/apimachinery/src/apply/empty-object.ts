import { emptyValue } from '../decode-object.js';
import type { Schema } from '../schema.js';

/** Empty objects made so far, by their schemas, which never change: a cache and not state. */
const emptyObjects = new WeakMap<Schema, Readonly<Record<string, unknown>>>();

/**
 * The object of a type before anything was said about it: just the fields that are always there. Creating is changing
 * from this one, so that a new object's owner owns what was said, and not the frame in which it was.
 */
export function emptyObject(schema: Schema): Readonly<Record<string, unknown>> {
  if (schema.type !== 'object') return {};
  const entry = emptyObjects.get(schema);
  if (entry) return entry;
  const empty = Object.freeze(emptyValue(schema) as Record<string, unknown>);
  emptyObjects.set(schema, empty);
  return empty;
}
