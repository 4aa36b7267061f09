import type { KubeObject } from './object-meta.js';

declare const brand: unique symbol;

/** `namespace/name`, or `name` alone for a cluster-scoped object. The only key of queues and caches. */
export type ObjectKey = string & { readonly [brand]?: 'ObjectKey' };

export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

export function keyOf(object: KubeObject): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name ?? '');
}

export function splitObjectKey(key: ObjectKey): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
