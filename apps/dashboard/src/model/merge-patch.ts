import { writeJson } from '@coracle/apimachinery';

/** The JSON merge patch (RFC 7386) from `before` to `after`; undefined if they are equal. */
export function mergePatchOf(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return isSame(before, after) ? undefined : after;
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const change = mergePatchOf(before[name], value);
    if (change !== undefined) patch[name] = change;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return writeJson(a) === writeJson(b);
}
