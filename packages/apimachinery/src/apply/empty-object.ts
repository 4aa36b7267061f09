import { emptyValue } from '../decode-object.js';
import type { Schema } from '../schema.js';

/** Empty objects made so far, by their schemas, which never change: a cache and not state. */
const emptyObjects = new WeakMap<Schema, Readonly<Record<string, unknown>>>();

/**
 * The empty object of a type, with the fields that are always present. A create is a change of this object, so that its
 * manager owns the fields that it set, and not those that are always present.
 */
export function emptyObject(schema: Schema): Readonly<Record<string, unknown>> {
  if (schema.type !== 'object') return {};
  const entry = emptyObjects.get(schema);
  if (entry) return entry;
  const empty = Object.freeze(emptyValue(schema) as Record<string, unknown>);
  emptyObjects.set(schema, empty);
  return empty;
}
