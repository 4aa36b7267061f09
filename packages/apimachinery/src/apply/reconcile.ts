import type { Schema } from '../schema.js';
import { type FieldSet, isEmptySet, leaf, type MutableFieldSet } from './field-set.js';
import { type Owners, withFields } from './managed-fields.js';
import { type Shape, shapeOf } from './shape.js';

/**
 * The managed fields under the current schema. A CRD may change after fields were owned: a manager that owned parts of
 * what has become atomic owns the whole. Fields that have become granular are treated as if they always were.
 */
export function reconcileOwners(owners: Owners, schema: Schema, apiVersion: string): Owners {
  if (schema.type !== 'object' || schema.name !== '') return owners;
  const shape = shapeOf(schema);
  const reconciled = new Map(owners);
  for (const [id, owner] of owners) {
    const fields = owner.apiVersion === apiVersion ? reconcile(owner.fields, shape) : owner.fields;
    if (fields !== owner.fields) reconciled.set(id, withFields(owner, fields));
  }
  return reconciled;
}

function reconcile(set: FieldSet, shape: Shape): FieldSet {
  let changed: MutableFieldSet | undefined;
  for (const element in set) {
    const node = set[element] as FieldSet;
    if (element === '.' || isEmptySet(node)) continue;
    const below = shapeBelow(shape, element);
    const result = below?.kind === 'leaf' ? leaf : below === undefined ? node : reconcile(node, below);
    if (result === node) continue;
    changed ??= { ...set };
    changed[element] = result;
  }
  return changed ?? set;
}

/** `undefined` if the schema does not define it. */
function shapeBelow(shape: Shape, element: string): Shape | undefined {
  switch (shape.kind) {
    case 'struct':
      return element.startsWith('f:') ? shape.field(element.slice(2)).shape : undefined;
    case 'map':
      return shape.values;
    case 'keyed':
      return shape.items;
    default:
      return undefined;
  }
}
