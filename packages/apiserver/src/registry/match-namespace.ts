import { badRequest, type KubeObject } from '@coracle/apimachinery';

/** Ensures that an object is in the namespace of its request; an empty one stands for a cluster-scoped resource. */
export function matchNamespace(requested: string, object: KubeObject): void {
  const stated = object.metadata.namespace ?? '';
  if (stated === requested) return;
  if (requested === '') delete object.metadata.namespace;
  else if (stated === '') object.metadata.namespace = requested;
  else throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
