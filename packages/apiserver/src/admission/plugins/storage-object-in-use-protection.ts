import type { GroupResource } from '@coracle/apimachinery';
import type { AdmissionPlugin } from '../admission.js';

/** `group/resource` → the finalizer that a controller removes when the object is unused. */
const finalizerByResource: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

function finalizerOf({ group, resource }: GroupResource): string | undefined {
  return finalizerByResource[`${group}/${resource}`];
}

/** Protects volumes, claims and their attributes classes from deletion while they are in use. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handles: ({ operation, resource, subresource }) =>
    operation === 'CREATE' && subresource === '' && finalizerOf(resource) !== undefined,
  mutate({ object, resource }) {
    const finalizer = finalizerOf(resource);
    const finalizers = object?.metadata.finalizers ?? [];
    if (!object || !finalizer || finalizers.includes(finalizer)) return undefined;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
  },
};
