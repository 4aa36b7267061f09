import { isRecord } from '@coracle/base';
import { addedValue, type MergeTarget } from './added-value.js';
import { type Identify, identifyBy, orderElements } from './element-order.js';
import type { Fields } from './fields.js';
import { formatGoValue } from './go-format.js';
import { patchRejected, unexplainedFailure } from './patch-errors.js';
import { badElementOrder, patchDirective } from './strategic-directives.js';

/** How the items of a list are merged. */
export interface ListMerge {
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly mergeKey: string | undefined;
  readonly target: MergeTarget;
  mergeItem(item: Fields, change: Fields): Record<string, unknown>;
}

/** Merges two lists by merge key, or as sets of plain values. Items of the patch come in the patch's order. */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  how: ListMerge,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementType(original, patch) !== 'map') {
    const items = [...new Set([...original, ...patch])];
    return orderElements(items, { setElementOrder: patch, live: original, identify: identifyBy(undefined) });
  }
  const { mergeKey } = how;
  if (mergeKey === undefined) throw unexplainedFailure('cannot merge lists without merge key for type struct');
  const special = applySpecialItems(original as Fields[], patch as Fields[], mergeKey);
  const items = mergeItems(special.original, special.patch, { ...how, mergeKey });
  return orderElements(items, {
    setElementOrder: special.patch,
    live: special.original,
    identify: identifyBy(mergeKey),
  });
}

/** `$setElementOrder`: merges the list and puts the result in the wanted order. */
export function orderedMerge(
  lists: { readonly original: unknown; readonly changes: unknown; readonly order: readonly unknown[] },
  how: ListMerge,
): unknown[] {
  const original = lists.original === undefined ? [] : expectList(lists.original);
  const changes = lists.changes === undefined ? [] : expectList(lists.changes);
  const { mergeKey } = how;
  checkElementOrder(changes, lists.order, mergeKey);
  const replaces = lists.changes !== undefined && (lists.original === undefined || how.strategy !== 'merge');
  const merged = replaces
    ? (addedValue(changes, how.target) as unknown[])
    : changes.length === 0
      ? original
      : mergeLists(original, changes, how);
  if (merged.length === 0) return [];
  elementType(original, changes);
  if (mergeKey !== undefined) requireMergeKeys(mergeKey, merged, lists.order);
  return orderElements(merged, { setElementOrder: lists.order, live: original, identify: identifyBy(mergeKey) });
}

/** Implements `$deleteFromPrimitiveList`. */
export function deleteFromList(list: readonly unknown[], values: readonly unknown[]): unknown[] {
  const gone = new Set(values);
  return list.filter((item) => !gone.has(item));
}

export function expectList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw unexplainedFailure(`expected a []interface {}, but received a ${goType(value)}`);
}

/** Carries out the items that hold `$patch`: `delete` one item, or `replace` the list by the other items. */
function applySpecialItems(original: readonly Fields[], patch: readonly Fields[], mergeKey: string) {
  let remaining = original;
  let replace = false;
  const plain: Fields[] = [];
  for (const item of patch) {
    const directive = item[patchDirective];
    if (directive === undefined) plain.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'delete') remaining = deleteItem(remaining, mergeKey, mergeValue(item, mergeKey));
    else if (directive === 'merge') throw unexplainedFailure('merging lists cannot yet be specified in the patch');
    else throw unexplainedFailure(`unknown patch type ${formatGoValue(directive)} in map: ${formatGoValue(item)}`);
  }
  return replace ? { original: plain, patch: [] } : { original: remaining, patch: plain };
}

function deleteItem(items: readonly Fields[], mergeKey: string, value: unknown): readonly Fields[] {
  return items.filter((item) => item[mergeKey] !== value);
}

function mergeItems(
  original: readonly Fields[],
  patch: readonly Fields[],
  how: ListMerge & { readonly mergeKey: string },
): unknown[] {
  const items: unknown[] = [...original];
  if (patch.length === 0) return items;
  const { mergeKey } = how;
  const positions = new Map<unknown, number>();
  original.forEach((item, index) => {
    if (!positions.has(item[mergeKey])) positions.set(item[mergeKey], index);
  });
  for (const change of patch) {
    const value = mergeValue(change, mergeKey);
    const position = positions.get(value);
    if (position !== undefined) items[position] = how.mergeItem(items[position] as Fields, change);
    else positions.set(value, items.push(addedValue(change, how.target)) - 1);
  }
  requireMergeKeys(mergeKey, items);
  return items;
}

/** The patch may name only items that the order names too, and in that order; deleted ones aside. */
function checkElementOrder(changes: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (changes.length === 0 || order.length === 0) return;
  const identify: Identify = identifyBy(mergeKey);
  if (mergeKey !== undefined) requireMaps(changes, order);
  let next = 0;
  for (const item of changes) {
    if (mergeKey !== undefined && (item as Fields)[patchDirective] !== undefined) continue;
    while (next < order.length && identify(order[next]) !== identify(item)) next++;
    if (next++ >= order.length)
      throw unexplainedFailure(
        `The order in patch list:\n${formatGoValue(changes)}\n doesn't match $setElementOrder list:\n${formatGoValue(order)}\n`,
      );
  }
}

function requireMaps(...lists: readonly (readonly unknown[])[]): void {
  for (const list of lists) for (const item of list) if (!isRecord(item)) throw badElementOrder();
}

function requireMergeKeys(mergeKey: string, ...lists: readonly (readonly unknown[])[]): void {
  for (const list of lists) for (const item of list) mergeValue(item as Fields, mergeKey);
}

/** The value of an item's merge key, which no item may lack. */
export function mergeValue(item: Fields, mergeKey: string): unknown {
  const value = item[mergeKey];
  if (value === undefined)
    throw unexplainedFailure(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  return value;
}

/** The type that all items of the lists have. Mixed lists and lists of lists cannot be merged. */
export function elementType(...lists: readonly (readonly unknown[])[]): string {
  let type: string | undefined;
  for (const list of lists)
    for (const item of list) {
      const itemType = goType(item);
      type ??= itemType;
      if (itemType === '[]interface {}') throw patchRejected('lists of lists are not supported');
      if (itemType !== type) throw unexplainedFailure(`list element types are not identical: ${formatGoValue(lists)}`);
    }
  return type === 'map[string]interface {}' ? 'map' : (type ?? 'none');
}

function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64';
}
