import type { AdmissionPlugin } from '../admission.js';

const finalizerByResource: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
};

/** Volumes and claims stay while something uses them. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handles: ({ operation, resource, subresource }) =>
    resource.group === '' &&
    finalizerByResource[resource.resource] !== undefined &&
    subresource === '' &&
    operation === 'CREATE',
  mutate({ object, resource }) {
    const finalizer = finalizerByResource[resource.resource];
    const finalizers = object?.metadata.finalizers ?? [];
    if (!object || !finalizer || finalizers.includes(finalizer)) return;
    object.metadata.finalizers = [...finalizers, finalizer];
  },
};
