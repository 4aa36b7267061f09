import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual, fieldsOf, isRecord, ownValue } from '@coracle/base';

type Fields = Record<string, unknown>;

/**
 * Replaces unchanged parts with those of `previous`, field by field, in the object, its metadata, spec and status; true
 * if everything is unchanged. Versions of an object then share their equal parts: they take memory once, and
 * comparisons find equal parts by identity.
 */
export function shareUnchanged(object: KubeObject, previous: KubeObject): boolean {
  // The metadata of each version is its own, because it has its own resourceVersion.
  const { metadata: own, ...before } = fieldsOf(previous);
  const isSame = shareFields(fieldsOf(object), { ...before, metadata: object.metadata }, shareParts);
  return shareFields(object.metadata as Fields, own as Fields, deepEqual) && isSame;
}

/** Takes equal parts from `previous`, and returns whether the two values are equal. */
type Share = (value: unknown, previous: unknown) => boolean;

const shareParts: Share = (value, previous) =>
  isRecord(value) && isRecord(previous) ? shareFields(value, previous, deepEqual) : deepEqual(value, previous);

function shareFields(fields: Fields, previous: Readonly<Fields>, share: Share): boolean {
  let isSame = true;
  for (const name in fields) {
    const value = fields[name];
    const old = ownValue(previous, name);
    if (value === old) continue;
    if (share(value, old)) fields[name] = old;
    else isSame = false;
  }
  for (const name in previous) if (ownValue(fields, name) === undefined && previous[name] !== undefined) isSame = false;
  return isSame;
}
