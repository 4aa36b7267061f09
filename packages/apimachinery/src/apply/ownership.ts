import type { Schema } from '../schema.js';
import { type Comparison, compareObjects, excludeFields } from './compare.js';
import { difference, type FieldSet, intersection, isEmptySet, leaf, union } from './field-set.js';
import { type Owner, type Owners, withFields } from './managed-fields.js';
import { formatProblems, typeProblems } from './typed-check.js';

/** An object as one version of its type. */
export interface VersionedObject {
  readonly object: unknown;
  readonly schema: Schema;
  /** Only the name of the version was changed: it may have fields that the schema does not. */
  readonly isRenamed?: boolean;
}

/** Turns an object into another version of its type; `undefined` for a version that is served no more. */
export type ConvertObject = (object: unknown, apiVersion: string) => VersionedObject | undefined;

/** A change of an object, seen in the version of the request. */
export interface Change {
  readonly before: unknown;
  readonly after: unknown;
  readonly schema: Schema;
  readonly apiVersion: string;
  readonly convert: ConvertObject | undefined;
  /** Fields that the request cannot change, with all below them. */
  readonly resetFields: FieldSet | undefined;
}

/** Fields that no manager owns: the object's identity and fields of the server. */
export const unownedFields: FieldSet = {
  'f:apiVersion': leaf,
  'f:kind': leaf,
  'f:metadata': Object.fromEntries(
    [
      '.',
      'f:name',
      'f:namespace',
      'f:creationTimestamp',
      'f:selfLink',
      'f:uid',
      'f:clusterName',
      'f:generation',
      'f:managedFields',
      'f:resourceVersion',
    ].map((element) => [element, leaf]),
  ),
};

/** Compares a change in each version that is needed, once. `undefined` for a version that is served no more. */
export function comparisons(change: Change): (apiVersion: string) => Comparison | undefined {
  const comparisons = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, compareIn(apiVersion, change));
    return comparisons.get(apiVersion);
  };
}

function compareIn(apiVersion: string, change: Change): Comparison | undefined {
  const { before, after, schema, resetFields } = change;
  if (apiVersion === change.apiVersion) return excludeFields(compareObjects(before, after, schema), resetFields);
  const old = change.convert?.(before, apiVersion);
  const now = change.convert?.(after, apiVersion);
  if (!old || !now) return undefined;
  requireDeclared('old', old);
  requireDeclared('new', now);
  return excludeFields(compareObjects(old.object, now.object, now.schema), resetFields);
}

/** An object cannot be compared in a version whose schema does not have its fields. */
export class UndeclaredField {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

function requireDeclared(which: string, { object, schema, isRenamed }: VersionedObject): void {
  if (!isRenamed) return;
  const problems = typeProblems(object, schema);
  if (problems.length > 0) throw new UndeclaredField(`failed to convert ${which} object: ${formatProblems(problems)}`);
}

/** The owned fields that a change touches, by manager, except for the manager that makes it. */
export function findConflicts(
  owners: Owners,
  self: string,
  compare: ReturnType<typeof comparisons>,
): Map<string, FieldSet> {
  const conflicts = new Map<string, FieldSet>();
  for (const [id, owner] of owners) {
    const comparison = id === self ? undefined : compare(owner.apiVersion);
    if (comparison === undefined) continue;
    const touched = union(
      intersection(owner.fields, comparison.modified),
      intersection(owner.fields, comparison.added),
    );
    if (!isEmptySet(touched)) conflicts.set(id, touched);
  }
  return conflicts;
}

/**
 * The managers after a change: all but `self` lose what was changed or removed, and a manager without fields is
 * removed. So are managers of versions that are no longer served. A manager that loses nothing stays the same value.
 */
export function shedFields(owners: Owners, self: string, compare: ReturnType<typeof comparisons>): Map<string, Owner> {
  const conflicts = findConflicts(owners, self, compare);
  const result = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const comparison = compare(owner.apiVersion);
    if (id === self) result.set(id, owner);
    if (id === self || comparison === undefined) continue;
    const touched = conflicts.get(id);
    const lost = intersection(owner.fields, comparison.removed);
    let fields = touched ? difference(owner.fields, touched) : owner.fields;
    if (!isEmptySet(lost)) fields = difference(fields, lost);
    if (!isEmptySet(fields)) result.set(id, fields === owner.fields ? owner : withFields(owner, fields));
  }
  return result;
}
