import type { Schema } from '../schema.js';
import { difference, type FieldSet, intersection, isEmptySet, leaf, type MutableFieldSet, union } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import type { Owner, Owners } from './managed-fields.js';
import type { ConvertObject, VersionedObject } from './ownership.js';
import { removeFields } from './remove.js';
import { type Shape, shapeOf } from './shape.js';

export interface Pruning {
  readonly merged: unknown;
  /** What the applier owned before; `undefined` if it applies for the first time. */
  readonly last: Owner | undefined;
  /** All owners, with what the applier owns from now on. */
  readonly owners: Owners;
  readonly schema: Schema;
  readonly apiVersion: string;
  readonly convert: ConvertObject | undefined;
}

/**
 * The merged object without the fields that the applier owned, gave up, and nobody else owns. An object that the applier
 * named goes with all that nobody owns in it, since it would be left with defaults that belong to the old values.
 */
export function pruneFields({ merged, last, owners, schema, apiVersion, convert }: Pruning): unknown {
  if (last === undefined || isEmptySet(difference(last.fields, claimed(owners, last)))) return merged;
  const original: VersionedObject = { object: merged, schema };
  const view = (object: unknown, from: string, to: string): VersionedObject | undefined =>
    from === to ? { object, schema: original.schema } : convert?.(object, to);
  const start = view(merged, apiVersion, last.apiVersion);
  if (start === undefined) return merged;
  const lastFields = withNamedParents(last.fields, shapeOf(start.schema));
  let pruned: VersionedObject = { ...start, object: removeFields(start.object, lastFields, start.schema) };
  let version = last.apiVersion;
  for (const [ownedVersion, fields] of fieldsByVersion(owners, last.apiVersion)) {
    const whole = ownedVersion === apiVersion ? original : convert?.(merged, ownedVersion);
    const part = ownedVersion === version ? pruned : convert?.(pruned.object, ownedVersion);
    if (!whole || !part) continue;
    pruned = { ...whole, object: addBackOwned(whole, part.object, fields) };
    version = ownedVersion;
  }
  const end = version === last.apiVersion ? pruned : convert?.(pruned.object, last.apiVersion);
  if (!end) return merged;
  const result = removeFields(start.object, intersection(goneFields(start, end.object), lastFields), start.schema);
  return last.apiVersion === apiVersion ? result : (convert?.(result, apiVersion)?.object ?? merged);
}

/** What the owner with the identity of the last apply owns from now on. */
function claimed(owners: Owners, last: Owner): FieldSet {
  for (const owner of owners.values())
    if (owner.operation === 'Apply' && owner.manager === last.manager && owner.subresource === last.subresource)
      return owner.apiVersion === last.apiVersion ? owner.fields : {};
  return {};
}

/** The union of what is owned in each version, the given version first. */
function fieldsByVersion(owners: Owners, first: string): Map<string, FieldSet> {
  const byVersion = new Map<string, FieldSet>([[first, {}]]);
  for (const { apiVersion, fields } of owners.values())
    byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? {}, fields));
  return byVersion;
}

/** The pruned object with what is owned put back from the whole one. */
function addBackOwned(whole: VersionedObject, pruned: unknown, owned: FieldSet): unknown {
  const keep = withNamedParents(owned, shapeOf(whole.schema));
  return removeFields(whole.object, difference(goneFields(whole, pruned), keep), whole.schema);
}

function goneFields(whole: VersionedObject, pruned: unknown): FieldSet {
  const shape = shapeOf(whole.schema);
  const before = withNamedParents(fieldsOf(whole.object, whole.schema), shape);
  return difference(before, withNamedParents(fieldsOf(pruned, whole.schema), shape));
}

/**
 * The set with the named fields on the way to its paths. Items and keys of maps are not added: whoever owns a field of
 * an item does not thereby own the item.
 */
function withNamedParents(set: FieldSet, shape: Shape): FieldSet {
  const grown: MutableFieldSet = {};
  for (const element in set) {
    const node = set[element] as FieldSet;
    if (element === '.' || isEmptySet(node)) {
      grown[element] = node;
      continue;
    }
    const { below, named } = step(shape, element);
    const inner = withNamedParents(node, below);
    grown[element] = named && inner['.'] === undefined ? { '.': leaf, ...inner } : inner;
  }
  return grown;
}

function step(shape: Shape, element: string): { below: Shape; named: boolean } {
  if (shape.kind === 'struct') {
    const field = shape.field(element.slice(2));
    return { below: field.shape, named: field.named };
  }
  if (shape.kind === 'map') return { below: shape.values, named: false };
  return { below: shape.kind === 'keyed' ? shape.items : shape, named: false };
}
