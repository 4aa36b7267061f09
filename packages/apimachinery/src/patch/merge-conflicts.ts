import { deepEqual, isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import type { Fields } from './fields.js';
import { itemSchema, patchMetadata } from './patch-metadata.js';
import { patchDirective, retainKeysDirective } from './strategic-directives.js';
import { elementType, mergeValue } from './strategic-lists.js';

/** Whether two strategic merge patches change the same field in different ways. */
export function patchesConflict(left: Fields, right: Fields, schema: Schema): boolean {
  if (left[patchDirective] !== right[patchDirective]) return true;
  return Object.keys(left).some((key) => {
    if (key === patchDirective || key === retainKeysDirective || !Object.hasOwn(right, key)) return false;
    return valuesConflict(left[key], right[key], { schema, key });
  });
}

function valuesConflict(left: unknown, right: unknown, at: { schema: Schema; key: string }): boolean {
  const objects = isRecord(left) && isRecord(right);
  const lists = Array.isArray(left) && Array.isArray(right);
  if (!objects && !lists) return !deepEqual(left, right);
  const { schema, strategy, mergeKey } = patchMetadata(at.schema, at.key);
  if (objects) return strategy !== 'replace' && patchesConflict(left, right, schema);
  if (strategy !== 'merge') return !deepEqual(left, right);
  const keyed = mergeKey !== undefined && elementType(left as unknown[], right as unknown[]) === 'map';
  return keyed && itemsConflict(left as Fields[], right as Fields[], { schema: itemSchema(schema), mergeKey });
}

/** Items that only one side names do not conflict; merged lists of plain values never do. */
function itemsConflict(
  left: readonly Fields[],
  right: readonly Fields[],
  { schema, mergeKey }: { readonly schema: Schema; readonly mergeKey: string },
): boolean {
  const others = new Map(right.map((item) => [mergeValue(item, mergeKey), item]));
  return left.some((item) => {
    const other = others.get(mergeValue(item, mergeKey));
    return other !== undefined && patchesConflict(item, other, schema);
  });
}
