import { type PersistentVolumeClaim, refs } from '@coracle/api';
import { forbidden, parseQuantity } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionPlugin } from '../admission.js';

const refusal =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/** A claim may grow only if its storage class allows volume expansion. */
export function persistentVolumeClaimResize({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: ({ operation, resource, subresource }) =>
      operation === 'UPDATE' && resource.group === '' && resource.resource === 'persistentvolumeclaims' && !subresource,
    validate({ object, oldObject, resource, name }) {
      const claim = object as PersistentVolumeClaim;
      const previous = oldObject as PersistentVolumeClaim;
      if (!grows(claim, previous)) return;
      const className = claim.spec?.storageClassName;
      const storageClass = className ? objects.get(refs.storageClasses, '', className) : undefined;
      if (!storageClass?.allowVolumeExpansion) throw forbidden(resource, name, refusal);
    },
  };
}

function grows(claim: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const size = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec?.resources?.requests?.['storage'] ?? '0');
  return size(claim).compare(size(previous)) > 0;
}
