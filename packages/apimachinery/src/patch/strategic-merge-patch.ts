import { deepEqual, isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { badRequest } from '../status-error.js';
import { addedValue, type MergeTarget } from './added-value.js';
import { type Fields, setField } from './fields.js';
import { formatGoValue } from './go-format.js';
import { unexplainedFailure } from './patch-errors.js';
import { itemSchema, type PatchMetadata, patchMetadata } from './patch-metadata.js';
import {
  badElementOrder,
  badRetainKeys,
  deleteFromField,
  elementOrderField,
  elementOrderKey,
  isDeleteFrom,
  isElementOrder,
  patchDirective,
  retainKeysDirective,
} from './strategic-directives.js';
import { deleteFromList, expectList, type ListMerge, mergeLists, orderedMerge } from './strategic-lists.js';

/**
 * Applies a strategic merge patch to an object of a built-in type. Neither input is changed; the result shares parts
 * with both. A malformed directive is a 400, a patch that does not fit the type a 500, both with upstream's messages.
 */
export function applyStrategicMergePatch<T extends object>(original: T, patch: unknown, schema: Schema): T {
  if (!isRecord(patch)) throw badRequest('json: cannot unmarshal into Go value of type map[string]interface {}');
  return mergeFields(original as Fields, patch, { schema, target: 'object' }) as T;
}

export interface MergeContext {
  readonly schema: Schema;
  readonly target: MergeTarget;
}

export function mergeFields(original: Fields, patch: Fields, context: MergeContext): Record<string, unknown> {
  const directive = patch[patchDirective];
  if (directive !== undefined) return carryOut(directive, patch);
  const merged = retainKeys(original, patch, context);
  const done = applyElementOrders(merged, patch, context);
  for (const key of Object.keys(patch)) {
    if (key === retainKeysDirective || isElementOrder(key) || done?.has(key)) continue;
    if (isDeleteFrom(key)) applyDeleteFrom(merged, key, patch[key], context);
    else mergeField(merged, key, patch[key], context);
  }
  return merged;
}

/** `$patch` in an object: `replace` takes the rest of the patch as it is, `delete` leaves an empty object. */
function carryOut(directive: unknown, patch: Fields): Record<string, unknown> {
  if (directive === 'delete') return {};
  if (directive !== 'replace')
    throw unexplainedFailure(`unknown patch type ${formatGoValue(directive)} in map: ${formatGoValue(patch)}`);
  const { [patchDirective]: _, ...replacement } = patch;
  return replacement;
}

/** A copy of the original with the fields of `$retainKeys`. */
function retainKeys(original: Fields, patch: Fields, { target }: MergeContext): Record<string, unknown> {
  const retained = patch[retainKeysDirective];
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(original)) setField(copy, key, original[key]);
  if (retained === undefined) return copy;
  if (target === 'patch') return joinDirective(copy, retainKeysDirective, retained);
  if (!Array.isArray(retained)) throw badRetainKeys();
  const retainedItems = new Set<unknown>(retained);
  for (const key of Object.keys(patch)) {
    const says = key !== retainKeysDirective && patch[key] !== null && !isDeleteFrom(key) && !isElementOrder(key);
    if (says && !retainedItems.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(copy)) if (!retainedItems.has(key)) delete copy[key];
  return copy;
}

/** Both halves of a three-way diff come from the same configuration, so a directive in both must be the same. */
function joinDirective(patch: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  if (patch[key] === undefined) patch[key] = value;
  else if (!deepEqual(patch[key], value))
    throw key === retainKeysDirective
      ? unexplainedFailure(
          `${formatGoValue(patch[key])} and ${formatGoValue(value)} are not deep equal: this may happen when calculating the 3-way diff patch`,
        )
      : badElementOrder();
  return patch;
}

/** Carries out each `$setElementOrder/x` together with the list `x`, and reports which lists that were. */
function applyElementOrders(
  merged: Record<string, unknown>,
  patch: Fields,
  context: MergeContext,
): Set<string> | undefined {
  let done: Set<string> | undefined;
  for (const key of Object.keys(patch)) {
    if (!isElementOrder(key)) continue;
    const field = elementOrderField(key);
    if (context.target === 'patch') joinDirective(merged, elementOrderKey(field), patch[key]);
    const original = merged[field];
    const changes = patch[field];
    if (original === undefined && changes === undefined) continue;
    const metadata = patchMetadata(context.schema, field);
    merged[field] = orderedMerge(
      { original, changes, order: expectList(patch[key]) },
      listMerge(metadata, context.target),
    );
    done ??= new Set();
    done.add(field);
  }
  return done;
}

function applyDeleteFrom(merged: Record<string, unknown>, key: string, values: unknown, context: MergeContext): void {
  if (context.target === 'patch') {
    merged[key] = values;
    return;
  }
  const field = deleteFromField(key);
  const list = merged[field];
  if (values === null) delete merged[field];
  else if (Array.isArray(list) && Array.isArray(values)) {
    const { strategy } = patchMetadata(context.schema, field);
    merged[field] = strategy === 'merge' ? deleteFromList(list, values) : values;
  }
}

function mergeField(merged: Record<string, unknown>, key: string, change: unknown, context: MergeContext): void {
  if (change === null) {
    if (context.target === 'object') delete merged[key];
    else setField(merged, key, null);
    return;
  }
  const present = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (!sameContainer(present, change)) setField(merged, key, addedValue(change, context.target));
  else setField(merged, key, mergeContainers(present as object, change as object, { key, context }));
}

function mergeContainers(present: object, change: object, at: { key: string; context: MergeContext }): unknown {
  const metadata: PatchMetadata = patchMetadata(at.context.schema, at.key);
  if (Array.isArray(present))
    return metadata.strategy === 'merge'
      ? mergeLists(present, change as unknown[], listMerge(metadata, at.context.target))
      : change;
  if (metadata.strategy === 'replace') return change;
  return mergeFields(present as Fields, change as Fields, { schema: metadata.schema, target: at.context.target });
}

function listMerge(metadata: PatchMetadata, target: MergeTarget): ListMerge {
  const schema = itemSchema(metadata.schema);
  return { ...metadata, target, mergeItem: (item, change) => mergeFields(item, change, { schema, target }) };
}

function sameContainer(a: unknown, b: unknown): boolean {
  return (Array.isArray(a) && Array.isArray(b)) || (isRecord(a) && isRecord(b));
}
