import { deepEqual, isRecord } from '@coracle/base';
import { badRequest } from '../status-error.js';
import { setField } from './fields.js';

/**
 * Applies a JSON merge patch (RFC 7386): `null` removes, objects merge, anything else replaces.
 * Neither input is changed; what they do not share is shared with the result.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return Array.isArray(patch) ? patch.map(withoutNulls) : patch;
  const base = isRecord(document) ? document : {};
  const merged: Record<string, unknown> = {};
  for (const key of Object.keys(base)) {
    const change = Object.hasOwn(patch, key) ? patch[key] : undefined;
    if (change === undefined) setField(merged, key, base[key]);
    else if (change !== null) setField(merged, key, applyMergePatch(base[key], change));
  }
  for (const key of Object.keys(patch))
    if (!Object.hasOwn(base, key) && patch[key] !== null) setField(merged, key, applyMergePatch(undefined, patch[key]));
  return merged;
}

/** Objects inside of lists have no nulls either; what the list itself has stays. */
function withoutNulls(item: unknown): unknown {
  return item === null ? null : applyMergePatch(undefined, item);
}

/** Like `applyMergePatch`, for an API object: a patch that is not an object is a 400. */
export function applyMergePatchToObject<T extends object>(document: T, patch: unknown): T {
  if (!isRecord(patch))
    throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}');
  return applyMergePatch(document, patch) as T;
}

/**
 * The merge patch that turns one object into the other; `undefined` if they are equal.
 * Such a patch cannot express a `null` inside the modified object.
 */
export function createMergePatch(
  original: Readonly<Record<string, unknown>>,
  modified: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(original)) if (!Object.hasOwn(modified, key)) setField(patch, key, null);
  for (const key of Object.keys(modified)) {
    const change = fieldChange(Object.hasOwn(original, key) ? original[key] : undefined, modified[key]);
    if (change !== undefined) setField(patch, key, change);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function fieldChange(original: unknown, modified: unknown): unknown {
  if (deepEqual(original, modified)) return undefined;
  return isRecord(original) && isRecord(modified) ? createMergePatch(original, modified) : modified;
}
