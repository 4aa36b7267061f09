const group = 'gateway.networking.k8s.io';

export const gateway: object = {
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { name: 'front' },
  spec: { gatewayClassName: 'coracle', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
};

/** Requests below `prefix` go to the service `web`, without the prefix. */
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
