import { deepEqual, isRecord } from '@coracle/base';
import type { JsonPatchStep } from './admission-review.js';

/** A patch that turns `before` into `after`. Lists are compared item by item from the front. */
export function createJsonPatch(before: unknown, after: unknown, path = ''): JsonPatchStep[] {
  if (deepEqual(before, after)) return [];
  if (isRecord(before) && isRecord(after)) return objectSteps(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return listSteps(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

function objectSteps(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  path: string,
): JsonPatchStep[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): JsonPatchStep[] => {
    const at = `${path}/${pointerStep(name)}`;
    if (!has(after, name)) return has(before, name) ? [{ op: 'remove', path: at }] : [];
    if (!has(before, name)) return [{ op: 'add', path: at, value: after[name] }];
    return createJsonPatch(before[name], after[name], at);
  });
}

/** What every object inherits, such as `toString`, is no field of it. */
function has(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

/** Items that are too many go from the back, so that the numbers of those before them stay true. */
function listSteps(before: readonly unknown[], after: readonly unknown[], path: string): JsonPatchStep[] {
  const shared = Math.min(before.length, after.length);
  const steps: JsonPatchStep[] = [];
  for (let i = 0; i < shared; i++) steps.push(...createJsonPatch(before[i], after[i], `${path}/${i}`));
  for (let i = before.length - 1; i >= shared; i--) steps.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = shared; i < after.length; i++) steps.push({ op: 'add', path: `${path}/-`, value: after[i] });
  return steps;
}

function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
