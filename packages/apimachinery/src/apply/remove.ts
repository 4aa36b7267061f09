import { isRecord } from '@coracle/base';
import { setField } from '../patch/fields.js';
import type { Schema } from '../schema.js';
import { type FieldSet, isEmptySet, isMember } from './field-set.js';
import { fieldElement } from './path-element.js';
import { type DeducedShape, type KeyedShape, type SetShape, type Shape, settle, shapeOf } from './shape.js';

/**
 * The object without the fields of a set, and all below them. An object or list that loses all it had becomes `null`,
 * which distinguishes it from an unchanged one.
 */
export function removeFields(object: unknown, set: FieldSet, schema: Schema): unknown {
  return isEmptySet(set) ? object : without(object, set, shapeOf(schema));
}

function without(value: unknown, set: FieldSet, untypedShape: Shape): unknown {
  const shape = settle(untypedShape, value);
  switch (shape.kind) {
    case 'leaf':
      return typeof value === 'object' ? null : value;
    case 'set':
    case 'keyed':
      return Array.isArray(value) ? withoutItems(value, set, shape) : value;
    default:
      return isRecord(value) ? withoutFields(value, set, shape) : value;
  }
}

function withoutFields(
  value: Readonly<Record<string, unknown>>,
  set: FieldSet,
  shape: Exclude<Shape, DeducedShape>,
): unknown {
  const result: Record<string, unknown> = {};
  let any = false;
  for (const name in value) {
    const gone = set[fieldElement(name)];
    if (gone !== undefined && isMember(gone)) continue;
    const below: Shape = shape.kind === 'struct' ? shape.field(name).shape : (shape as { values: Shape }).values;
    setField(result, name, gone === undefined ? value[name] : without(value[name], gone, below));
    any = true;
  }
  return any ? result : null;
}

function withoutItems(list: readonly unknown[], set: FieldSet, shape: SetShape | KeyedShape): unknown {
  const rest: unknown[] = [];
  for (const item of list) {
    const element = shape.elementOf(item);
    const gone = element === undefined ? undefined : set[element];
    if (gone === undefined) rest.push(item);
    else if (!isMember(gone)) rest.push(shape.kind === 'keyed' ? without(item, gone, shape.items) : item);
  }
  return rest.length > 0 ? rest : null;
}
