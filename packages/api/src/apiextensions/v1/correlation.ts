import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { keyOf } from './list-keys.validation.js';

/** A value, and what it was before the update; items of lists are correlated by their keys only. */
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
  return {
    value,
    old,
    isUnchanged: () => (unchanged ??= old !== undefined && deepEqual(value, old)),
    field: (name) => correlate(entryOf(value, name), entryOf(old, name)),
    item: (index, list) => {
      const item = Array.isArray(value) ? value[index] : undefined;
      return correlate(item, counterpart(item, old, list));
    },
  };
}

function entryOf(value: unknown, name: string): unknown {
  return isRecord(value) ? ownValue(value, name) : undefined;
}

function counterpart(item: unknown, old: unknown, list: JSONSchemaProps): unknown {
  if (!Array.isArray(old) || list['x-kubernetes-list-type'] !== 'map') return undefined;
  const key = JSON.stringify(keyOf(item, list));
  return old.find((before) => JSON.stringify(keyOf(before, list)) === key);
}
