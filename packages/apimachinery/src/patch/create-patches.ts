import { isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { writeJson } from '../write-json.js';
import { type Fields, setField } from './fields.js';
import { patchesConflict } from './merge-conflicts.js';
import { createMergePatch } from './merge-patch.js';
import { diffFields } from './strategic-diff.js';
import { mergeFields } from './strategic-merge-patch.js';

/** The strategic merge patch that turns `original` into `modified`; `{}` if they are equal. */
export function createTwoWayMergePatch(original: object, modified: object, schema: Schema): Record<string, unknown> {
  const options = { changes: true, deletions: true, elementOrder: true };
  return diffFields(original as Fields, modified as Fields, { schema, options, retainKeys: false });
}

export interface ThreeWayOptions {
  /** Fields that the patch may not touch, such as `metadata.name`. */
  readonly unchanged?: readonly string[];
  /** If false, a patch that would undo changes of others since `original` is rejected. */
  readonly overwrite?: boolean;
}

export interface ThreeWayInput {
  /** The last applied configuration. */
  readonly original: object;
  /** The configuration to apply. */
  readonly modified: object;
  /** The live object. */
  readonly current: object;
}

/**
 * The strategic merge patch that `kubectl apply` sends: it sets fields of the configuration that differ, and removes
 * fields of the last configuration that are absent now. Fields of others stay.
 */
export function createThreeWayMergePatch(
  { original, modified, current }: ThreeWayInput,
  schema: Schema,
  options: ThreeWayOptions = {},
): Record<string, unknown> {
  const diff = (from: object, to: object, halves: { changes: boolean; deletions: boolean; elementOrder: boolean }) =>
    diffFields(from as Fields, to as Fields, { schema, options: halves, retainKeys: false });
  const additions = diff(current, modified, { changes: true, deletions: false, elementOrder: true });
  const deletions = diff(original, modified, { changes: false, deletions: true, elementOrder: true });
  const patch = mergeFields(deletions, additions, { schema, target: 'patch' });
  checkUnchanged(patch, options.unchanged ?? []);
  if (options.overwrite === false) {
    const changes = diff(original, current, { changes: true, deletions: true, elementOrder: false });
    if (patchesConflict(patch, changes, schema)) throw new PatchConflict(patch, changes);
  }
  return patch;
}

/** The same for objects without a strategic schema, such as custom resources: lists replace each other. */
export function createThreeWayJsonMergePatch(
  { original, modified, current }: ThreeWayInput,
  options: Pick<ThreeWayOptions, 'unchanged'> = {},
): Record<string, unknown> {
  const additions = onlyValues(createMergePatch(current as Fields, modified as Fields) ?? {});
  const deletions = onlyNulls(createMergePatch(original as Fields, modified as Fields) ?? {});
  const patch = joinPatches(deletions, additions);
  checkUnchanged(patch, options.unchanged ?? []);
  return patch;
}

/** Others changed fields that a patch would change. */
export class PatchConflict extends Error {
  override readonly name = 'PatchConflict';

  constructor(patch: Fields, changes: Fields) {
    super(
      `patch:\n${writeJson(patch)}\nconflicts with changes made from original to current:\n${writeJson(changes)}\n`,
    );
  }
}

/** The patch touches a field that it may not. */
export class PreconditionFailed extends Error {
  override readonly name = 'PreconditionFailed';
}

function checkUnchanged(patch: Fields, paths: readonly string[]): void {
  for (const path of paths) {
    let at: unknown = patch;
    for (const step of path.split('.')) at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at !== undefined) throw new PreconditionFailed(`precondition failed for: ${writeJson(patch)}`);
  }
}

/** The part of a merge patch that sets. An empty object that the patch sets is a value, one that is left over is not. */
function onlyValues(patch: Fields): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) continue;
    const part = isRecord(value) && Object.keys(value).length > 0 ? onlyValues(value) : value;
    if (part === value || !isRecord(part) || Object.keys(part).length > 0) setField(result, key, part);
  }
  return result;
}

/** The part of a merge patch that removes. */
function onlyNulls(patch: Fields): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(patch)) {
    const part = isRecord(value) ? onlyNulls(value) : value;
    if (part === null || (isRecord(part) && Object.keys(part).length > 0)) setField(rest, key, part);
  }
  return rest;
}

/** One patch with the effect of both. */
function joinPatches(first: Fields, second: Fields): Record<string, unknown> {
  const joined: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = Object.hasOwn(joined, key) ? joined[key] : undefined;
    setField(joined, key, isRecord(before) && isRecord(value) ? joinPatches(before, value) : value);
  }
  return joined;
}
