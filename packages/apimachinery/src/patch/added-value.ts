import { isRecord } from '@coracle/base';
import { setField } from './fields.js';

/**
 * What a patch is merged into. Into an `object` its directives are carried out and `null` removes. Into another
 * `patch` (when a three-way diff joins its two halves) directives and `null` are kept for the server.
 */
export type MergeTarget = 'object' | 'patch';

/** The value that a patch adds where there was none. In an object, a `null` in it has nothing to remove. */
export function addedValue(value: unknown, target: MergeTarget): unknown {
  return target === 'object' ? withoutNulls(value) : value;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.some(holdsNull) ? value.map(withoutNulls) : value;
  if (!isRecord(value) || !holdsNull(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setField(result, key, withoutNulls(value[key]));
  return result;
}

function holdsNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsNull);
  if (!isRecord(value)) return false;
  for (const key of Object.keys(value)) if (value[key] === null || holdsNull(value[key])) return true;
  return false;
}
