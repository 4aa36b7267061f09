import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

type Fields = Record<string, unknown>;

/**
 * Takes from `previous` what did not change, field by field, in the object and in its metadata; true if nothing did.
 * The versions of an object then share what they have in common: it is held once, and whoever compares two versions
 * sees at a glance that a part is the same.
 */
export function shareUnchanged(object: KubeObject, previous: KubeObject): boolean {
  const isSame = shareFields(object as unknown as Fields, previous as unknown as Fields);
  // The metadata of a version are its own: it gets a resourceVersion of its own.
  return shareFields(object.metadata as Fields, previous.metadata as Fields) && isSame;
}

function shareFields(fields: Fields, previous: Readonly<Fields>): boolean {
  let isSame = true;
  for (const name in fields) {
    const value = fields[name];
    if (name === 'metadata' || value === previous[name]) continue;
    if (deepEqual(value, previous[name])) fields[name] = previous[name];
    else isSame = false;
  }
  for (const name in previous) if (fields[name] === undefined && previous[name] !== undefined) isSame = false;
  return isSame;
}
