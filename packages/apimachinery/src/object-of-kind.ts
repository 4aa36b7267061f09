import type { KubeObject } from './object-meta.js';

/** Fields that are known to be those of a kind: they have been decoded by its schema, or the caller has looked. */
export function objectOfKind<T = KubeObject>(fields: object): T {
  return fields as T;
}
