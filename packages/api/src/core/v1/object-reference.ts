import type { KubeObject } from '@coracle/apimachinery';
import type { ObjectReference } from '../../generated/types/core-v1.js';

/** A reference to this object in its current state. */
export function objectReference({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...(apiVersion && { apiVersion }),
    ...(kind && { kind }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
