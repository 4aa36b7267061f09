const group = 'gateway.networking.k8s.io';

/** A definition of the Gateway API without its schema. */
function definition(plural: string, kind: string, version: string, scope: string): object {
  return {
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
}

export const gatewayDefinitions: readonly object[] = [
  definition('gatewayclasses', 'GatewayClass', 'v1', 'Cluster'),
  definition('gateways', 'Gateway', 'v1', 'Namespaced'),
  definition('httproutes', 'HTTPRoute', 'v1', 'Namespaced'),
  definition('referencegrants', 'ReferenceGrant', 'v1beta1', 'Namespaced'),
];

export const gateway: object = {
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { name: 'front' },
  spec: { gatewayClassName: 'coracle', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
};

/** What comes below `prefix` goes to the service `web`, without it. */
export function httpRoute(prefix: string): object {
  const urlRewrite = { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } };
  return {
    apiVersion: `${group}/v1`,
    kind: 'HTTPRoute',
    metadata: { name: 'shop' },
    spec: {
      parentRefs: [{ name: 'front' }],
      hostnames: ['*.example.com'],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: prefix } }],
          filters: [{ type: 'URLRewrite', urlRewrite }],
          backendRefs: [{ name: 'web', port: 80 }],
        },
      ],
    },
  };
}
