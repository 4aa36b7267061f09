import { type networkingv1, type PersistentVolumeClaim, refs, type storagev1 } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionPlugin } from '../admission.js';
import { refusal } from '../refusal.js';

/** A claim that names no storage class gets the default one, if there is one. */
export function defaultStorageClass({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: ({ operation, resource, subresource }) =>
      resource.resource === 'persistentvolumeclaims' && subresource === '' && operation === 'CREATE',
    mutate({ object }) {
      const claim = object as PersistentVolumeClaim;
      const stated =
        claim.spec?.storageClassName !== undefined ||
        claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] !== undefined;
      if (stated || !claim.spec) return undefined;
      const [chosen] = defaults<storagev1.StorageClass>(objects.list(refs.storageClasses), [
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ]);
      const storageClassName = chosen?.metadata.name;
      return storageClassName ? { ...claim, spec: { ...claim.spec, storageClassName } } : undefined;
    },
  };
}

/** Sets the default class of an ingress that names none. */
export function defaultIngressClass({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: ({ operation, resource, subresource }) =>
      resource.resource === 'ingresses' && subresource === '' && operation === 'CREATE',
    mutate(attributes) {
      const { object } = attributes;
      const ingress = object as networkingv1.Ingress;
      const stated =
        ingress.spec?.ingressClassName !== undefined ||
        ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined;
      if (stated) return undefined;
      const classes = defaults<networkingv1.IngressClass>(objects.list(refs.ingressClasses), [
        'ingressclass.kubernetes.io/is-default-class',
      ]);
      if (classes.length > 1)
        throw refusal(attributes, `${classes.length} default IngressClasses were found, only 1 allowed`);
      const chosen = classes[0]?.metadata.name;
      return chosen ? { ...ingress, spec: { ...ingress.spec, ingressClassName: chosen } } : undefined;
    },
  };
}

/** Classes annotated as default: the newest first, then by name. */
function defaults<T extends KubeObject>(classes: readonly T[], annotations: readonly string[]): T[] {
  return classes
    .filter(({ metadata }) => annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'))
    .sort(
      (a, b) =>
        compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp) ||
        compareText(a.metadata.name, b.metadata.name),
    );
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
