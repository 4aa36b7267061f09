import type { apiextensionsv1 } from '@coracle/api';

const group = 'gateway.networking.k8s.io';

/** A CRD of the Gateway API without its schema. */
function gatewayCrd(plural: string, kind: string, version: string, scope: string) {
  const crd: apiextensionsv1.CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api/pull/2466' },
    },
    spec: {
      group,
      names: { plural, kind, singular: kind.toLowerCase() },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  return crd;
}

/** The CRDs of the Gateway API that Coracle's router reads. They accept any object of their kinds. */
export const gatewayCrds: readonly apiextensionsv1.CustomResourceDefinition[] = [
  gatewayCrd('gatewayclasses', 'GatewayClass', 'v1', 'Cluster'),
  gatewayCrd('gateways', 'Gateway', 'v1', 'Namespaced'),
  gatewayCrd('httproutes', 'HTTPRoute', 'v1', 'Namespaced'),
  gatewayCrd('referencegrants', 'ReferenceGrant', 'v1beta1', 'Namespaced'),
];
