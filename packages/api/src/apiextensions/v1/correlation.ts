import { writeJson } from '@coracle/apimachinery';
import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { keyOf } from './list-keys.validation.js';

/** A value and its value before the update; items of lists are correlated by their keys only. */
export interface Correlation {
  readonly value: unknown;
  /** Absent for a new value, or where old and new values cannot be correlated. */
  readonly old: unknown;
  readonly isUnchanged: () => boolean;
  /** Of an object or a map. */
  field(name: string): Correlation;
  item(index: number, list: JSONSchemaProps): Correlation;
}

export function correlate(value: unknown, old: unknown): Correlation {
  let unchanged: boolean | undefined;
  /** The old items, as one schema correlates them: conditions on a list do not say how. */
  let before: { readonly list: JSONSchemaProps; readonly items: ReadonlyMap<string, unknown> } | undefined;
  return {
    value,
    old,
    isUnchanged: () => (unchanged ??= old !== undefined && deepEqual(value, old)),
    field: (name) => correlate(entryOf(value, name), entryOf(old, name)),
    item: (index, list) => {
      const item = Array.isArray(value) ? value[index] : undefined;
      if (before?.list !== list) before = { list, items: itemsByKey(old, list) };
      return correlate(item, before.items.size > 0 ? before.items.get(keyText(item, list)) : undefined);
    },
  };
}

function entryOf(value: unknown, name: string): unknown {
  return isRecord(value) ? ownValue(value, name) : undefined;
}

/** The items of a keyed list; of those with the same key the first. Items of other lists are not correlated. */
function itemsByKey(items: unknown, list: JSONSchemaProps): ReadonlyMap<string, unknown> {
  const byKey = new Map<string, unknown>();
  if (!Array.isArray(items) || list['x-kubernetes-list-type'] !== 'map') return byKey;
  for (const item of items) {
    const key = keyText(item, list);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

function keyText(item: unknown, list: JSONSchemaProps): string {
  return writeJson(keyOf(item, list));
}
