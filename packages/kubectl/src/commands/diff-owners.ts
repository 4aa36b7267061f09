import { readJson, writeJson } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { type Fields, isRecord, recordsAt, textAt } from '../values.js';

/** A step of a path: the name of a field, or an item of a list with its place. */
type Step = string | { readonly index: number; readonly item: unknown };

interface Change {
  readonly path: readonly Step[];
}

/** Lines that name the manager of each field that differs between two versions of an object. */
export function ownersOfChanges(live: Fields, merged: Fields): string[] {
  const entries = recordsAt(live, 'metadata', 'managedFields');
  return changesBetween(withoutNoise(live), withoutNoise(merged), []).map(({ path }) => {
    const owners = entries
      .filter((entry) => owns(entry['fieldsV1'], path))
      .map((entry) => `${textAt(entry, 'manager')} (${textAt(entry, 'operation')})`);
    return `${pathText(path)}: ${owners.length > 0 ? [...new Set(owners)].join(', ') : 'none'}`;
  });
}

/** Fields that the server sets with every write. */
function withoutNoise(object: Fields): Fields {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const { managedFields: _, resourceVersion: __, generation: ___, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function changesBetween(before: unknown, after: unknown, path: readonly Step[]): Change[] {
  if (deepEqual(before, after)) return [];
  if (isRecord(before) && isRecord(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .sort()
      .flatMap((key) => changesBetween(before[key], after[key], [...path, key]));
  if (Array.isArray(before) && Array.isArray(after))
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) =>
      changesBetween(before[index], after[index], [...path, { index, item: before[index] ?? after[index] }]),
    ).flat();
  return [{ path }];
}

/** Whether managed fields have the path, something below it, or its nearest parent as a whole. */
function owns(fields: unknown, path: readonly Step[]): boolean {
  if (!isRecord(fields)) return false;
  const [step, ...rest] = path;
  if (step === undefined) return true;
  // A field without parts is owned as a whole.
  if (Object.keys(fields).length === 0) return true;
  const below = childOf(fields, step);
  return below !== undefined && owns(below, rest);
}

function childOf(fields: Fields, step: Step): unknown {
  if (typeof step === 'string') return fields[`f:${step}`];
  for (const [key, value] of Object.entries(fields)) {
    if (key === `i:${step.index}` || key === `v:${writeJson(step.item)}`) return value;
    if (!key.startsWith('k:') || !isRecord(step.item)) continue;
    const keys: unknown = readJson(key.slice(2));
    const { item } = step;
    if (isRecord(keys) && Object.entries(keys).every(([name, one]) => deepEqual(item[name], one))) return value;
  }
  return undefined;
}

function pathText(path: readonly Step[]): string {
  return path
    .map((step) => {
      if (typeof step === 'string') return /^[\w-]+$/.test(step) ? `.${step}` : `[${writeJson(step)}]`;
      const name = isRecord(step.item) ? textAt(step.item, 'name') : '';
      return name === '' ? `[${step.index}]` : `[name=${name}]`;
    })
    .join('');
}
