import { deepEqual, isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { type Fields, setField } from './fields.js';
import { patchMetadata } from './patch-metadata.js';
import { deleteFromKey, elementOrderKey, patchDirective, retainKeysDirective } from './strategic-directives.js';
import { elementType, mergeValue } from './strategic-lists.js';

/** Which half of a diff is wanted, and in which detail. */
export interface DiffOptions {
  /** Adds and changes. */
  readonly changes: boolean;
  readonly deletions: boolean;
  /** Adds `$setElementOrder` for merged lists. */
  readonly elementOrder: boolean;
}

/** The strategic merge patch from one object to the other; empty if they are equal. */
export function diffFields(original: Fields, modified: Fields, at: DiffContext): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(modified)) diffField(patch, { key, original, modified }, at);
  if (at.options.deletions)
    for (const key of Object.keys(original)) if (!Object.hasOwn(modified, key)) setField(patch, key, null);
  if (at.retainKeys) addRetainKeys(patch, original, modified);
  return patch;
}

export interface DiffContext {
  readonly schema: Schema;
  readonly options: DiffOptions;
  /** True where the patch must name the fields that stay, as for unions such as a volume. */
  readonly retainKeys: boolean;
}

interface FieldPair {
  readonly key: string;
  readonly original: Fields;
  readonly modified: Fields;
}

function diffField(patch: Record<string, unknown>, { key, original, modified }: FieldPair, at: DiffContext): void {
  const before = Object.hasOwn(original, key) ? original[key] : undefined;
  const after = modified[key];
  if (isRecord(before) && isRecord(after)) diffObjects(patch, { key, before, after }, at);
  else if (Array.isArray(before) && Array.isArray(after)) diffLists(patch, { key, before, after }, at);
  else if (at.options.changes && !deepEqual(before, after)) setField(patch, key, after);
}

function diffObjects(
  patch: Record<string, unknown>,
  { key, before, after }: { readonly key: string; readonly before: Fields; readonly after: Fields },
  { schema, options }: DiffContext,
): void {
  if (deepEqual(before, after)) return;
  const metadata = patchMetadata(schema, key);
  if (metadata.strategy === 'replace') {
    if (options.changes) setField(patch, key, after);
    return;
  }
  const change = diffFields(before, after, { schema: metadata.schema, options, retainKeys: metadata.retainKeys });
  if (Object.keys(change).length > 0) setField(patch, key, change);
}

interface ListPair {
  readonly key: string;
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

function diffLists(patch: Record<string, unknown>, pair: ListPair, at: DiffContext): void {
  const { key, before, after } = pair;
  if (deepEqual(before, after)) return;
  const { options } = at;
  const metadata = patchMetadata(at.schema, key);
  if (metadata.strategy !== 'merge' || before.length === 0) {
    if (options.changes) setField(patch, key, after);
  } else if (elementType(before, after) !== 'map') diffValueLists(patch, pair, options);
  else {
    const schema = metadata.schema.type === 'list' ? metadata.schema.items : metadata.schema;
    const context = { schema, options, retainKeys: metadata.retainKeys };
    diffItemLists(patch, pair, { ...context, mergeKey: metadata.mergeKey ?? '' });
  }
}

function diffValueLists(patch: Record<string, unknown>, { key, before, after }: ListPair, options: DiffOptions): void {
  const old = new Set(before);
  const remainingItems = new Set(after);
  const added = options.changes ? after.filter((value) => !old.has(value)) : [];
  const gone = options.deletions ? [...old].filter((value) => !remainingItems.has(value)).sort(byText) : [];
  if (added.length > 0) patch[key] = added;
  if (gone.length > 0) patch[deleteFromKey(key)] = gone;
  if (options.elementOrder && after.length > 0 && (gone.length > 0 || options.changes))
    patch[elementOrderKey(key)] = after;
}

function diffItemLists(
  patch: Record<string, unknown>,
  { key, before, after }: ListPair,
  at: DiffContext & { readonly mergeKey: string },
): void {
  const { mergeKey, options } = at;
  const changes = [...itemChanges(before as Fields[], after as Fields[], at), ...itemDeletions(before, after, at)];
  if (changes.length > 0) patch[key] = changes;
  const reordered = options.changes && !sameOrder(before as Fields[], after as Fields[], mergeKey);
  if (options.elementOrder && after.length > 0 && (changes.length > 0 || reordered))
    patch[elementOrderKey(key)] = (after as Fields[]).map((item) => ({ [mergeKey]: item[mergeKey] }));
}

function itemChanges(before: readonly Fields[], after: readonly Fields[], at: DiffContext & { mergeKey: string }) {
  const { mergeKey, options } = at;
  const originals = new Map(before.map((item) => [mergeValue(item, mergeKey), item]));
  const changes: Fields[] = [];
  for (const item of after) {
    const value = mergeValue(item, mergeKey);
    const original = originals.get(value);
    if (original === undefined) {
      if (options.changes) changes.push(item);
      continue;
    }
    const change = diffFields(original, item, at);
    if (Object.keys(change).length > 0) changes.push({ ...change, [mergeKey]: value });
  }
  return changes;
}

function itemDeletions(before: readonly unknown[], after: readonly unknown[], at: DiffContext & { mergeKey: string }) {
  if (!at.options.deletions) return [];
  const remainingKeys = new Set((after as Fields[]).map((item) => mergeValue(item, at.mergeKey)));
  const gone = (before as Fields[]).map((item) => item[at.mergeKey]).filter((value) => !remainingKeys.has(value));
  return gone.sort(byText).map((value) => ({ [patchDirective]: 'delete', [at.mergeKey]: value }));
}

function sameOrder(before: readonly Fields[], after: readonly Fields[], mergeKey: string): boolean {
  return before.length === after.length && after.every((item, i) => item[mergeKey] === before[i]?.[mergeKey]);
}

/** Names the fields that stay, if the patch says anything or if other fields have to go. */
function addRetainKeys(patch: Record<string, unknown>, original: Fields, modified: Fields): void {
  const remaining = Object.keys(modified).filter((key) => modified[key] !== null);
  const clears = Object.keys(original).some((key) => original[key] !== null && !Object.hasOwn(modified, key));
  if (remaining.length > 0 && (Object.keys(patch).length > 0 || clears)) patch[retainKeysDirective] = remaining.sort();
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
