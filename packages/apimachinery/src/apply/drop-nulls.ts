import { isRecord } from '@coracle/base';
import { setField } from '../patch/fields.js';
import type { Schema } from '../schema.js';
import { type Shape, settle, shapeOf } from './shape.js';

/**
 * The object without fields that are `null`, which mean absent. Atomic values are unchanged, and values without `null`
 * are shared with the result.
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
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const field = value[name];
    if (typeof field !== 'object' && field !== undefined) continue;
    const below = shape.kind === 'struct' ? shape.field(name).shape : shape.values;
    const cleaned = field === null ? undefined : clean(field, below);
    if (cleaned === field && field !== undefined) continue;
    copy ??= { ...value };
    if (cleaned === undefined) delete copy[name];
    else setField(copy, name, cleaned);
  }
  return copy ?? value;
}
