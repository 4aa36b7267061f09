import type { KubeObject } from './object-meta.js';

/** The object as a value of its kind: it was decoded by the kind's schema, or the caller has checked it. */
export function objectOfKind<T = KubeObject>(fields: object): T {
  return fields as T;
}
