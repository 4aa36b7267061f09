import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

/**
 * Whether an update changes only the fields that garbage collection changes. Users who may not change other fields may
 * make it.
 */
export function isHousekeeping(object: KubeObject, previous: KubeObject): boolean {
  return deepEqual(withoutOwnership(object), withoutOwnership(previous));
}

function withoutOwnership({ metadata, ...rest }: KubeObject): object {
  const {
    finalizers: _ends,
    ownerReferences: _owners,
    managedFields: _managed,
    resourceVersion: _v,
    ...own
  } = metadata;
  return { ...rest, metadata: own };
}
