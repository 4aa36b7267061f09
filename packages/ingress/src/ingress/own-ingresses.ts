import type { networkingv1 } from '@coracle/api';

type Ingress = networkingv1.Ingress;

/** Names this router in an IngressClass. */
export const ingressControllerName = 'coracle.dev/ingress-controller';
export const ingressClassName = 'coracle';

/** From before there were classes. */
const classAnnotation = 'kubernetes.io/ingress.class';

/**
 * The IngressClass that a node with the router creates. Ingresses without a class are ignored: it is not the default
 * class.
 */
export function ownIngressClass(): networkingv1.IngressClass {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: ingressClassName },
    spec: { controller: ingressControllerName },
  };
}

/** The ingresses that this router serves: those of a class whose controller it is. */
export function ownIngresses(
  ingresses: readonly Ingress[],
  classes: readonly networkingv1.IngressClass[],
): readonly Ingress[] {
  const own = new Set(
    classes.filter(({ spec }) => spec?.controller === ingressControllerName).map(({ metadata }) => metadata.name),
  );
  return ingresses.filter(({ metadata, spec }) =>
    own.has(spec?.ingressClassName ?? metadata.annotations?.[classAnnotation] ?? ''),
  );
}
