import { isRecord } from '@coracle/base';
import { setField } from '../patch/fields.js';
import type { Schema } from '../schema.js';
import { type Shape, settle, shapeOf } from './shape.js';

/**
 * The object without the fields that are `null`, which say that nothing is there. What is owned as a whole is left as it
 * is, and what holds no `null` is shared with the result.
 */
export function dropNulls(object: unknown, schema: Schema): unknown {
  return clean(object, shapeOf(schema));
}

function clean(value: unknown, untypedShape: Shape): unknown {
  const shape = settle(untypedShape, value);
  if (shape.kind === 'keyed' && Array.isArray(value)) {
    const items = value.map((item) => clean(item, shape.items));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if ((shape.kind !== 'struct' && shape.kind !== 'map') || !isRecord(value)) return value;
  let same = true;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = value[name];
    const cleaned =
      typeof field === 'object' && field !== null
        ? clean(field, shape.kind === 'struct' ? shape.field(name).shape : shape.values)
        : field;
    if (cleaned !== field || cleaned === null || cleaned === undefined) same = false;
    if (cleaned !== null && cleaned !== undefined) setField(kept, name, cleaned);
  }
  return same ? value : kept;
}
