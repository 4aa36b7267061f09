import type { Schema } from '../schema.js';
import { difference, type FieldSet, intersection, isEmptySet, leaf, type MutableFieldSet, union } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import type { Owner, Owners } from './managed-fields.js';
import type { ConvertObject, VersionedObject } from './ownership.js';
import { removeFields } from './remove.js';
import { type Shape, shapeOf } from './shape.js';

export interface Pruning {
  readonly merged: unknown;
  /** The previous fields of the applier; `undefined` if it applies for the first time. */
  readonly last: Owner | undefined;
  /** All managers, with the new fields of the applier. */
  readonly owners: Owners;
  readonly schema: Schema;
  readonly apiVersion: string;
  readonly convert: ConvertObject | undefined;
}

/**
 * As `pruneFields`, for fields that are owned in several versions: the object is converted to each of them in turn, the
 * fields that its managers own are restored, and at the end only what the applier gave up is removed from the whole.
 */
export function pruneAcrossVersions({ merged, last, owners, schema, apiVersion, convert }: VersionedPruning): unknown {
  const original: VersionedObject = { object: merged, schema };
  const inVersion = (version: string) => (version === apiVersion ? original : convert?.(merged, version));
  const start = inVersion(last.apiVersion);
  if (start === undefined) return merged;
  const lastFields = withNamedParents(last.fields, shapeOf(start.schema));
  let pruned: unknown = removeFields(start.object, lastFields, start.schema);
  let version = last.apiVersion;
  for (const [ownedVersion, fields] of fieldsByVersion(owners, last.apiVersion)) {
    const whole = inVersion(ownedVersion);
    const part = ownedVersion === version ? pruned : convert?.(pruned, ownedVersion)?.object;
    if (!whole || part === undefined) continue;
    pruned = addBackOwned(whole, part, fields);
    version = ownedVersion;
  }
  const end = version === last.apiVersion ? pruned : convert?.(pruned, last.apiVersion)?.object;
  if (end === undefined) return merged;
  const result = removeFields(start.object, intersection(goneFields(start, end), lastFields), start.schema);
  return last.apiVersion === apiVersion ? result : (convert?.(result, apiVersion)?.object ?? merged);
}

export interface VersionedPruning extends Pruning {
  readonly last: Owner;
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
 * The set with the named fields on the way to its paths. Items and keys of maps are not added: a manager that owns a
 * field of an item does not thereby own the item.
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
