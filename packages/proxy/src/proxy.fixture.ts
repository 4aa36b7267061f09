import type { EndpointSlice, Service } from '@coracle/api';

/** A service of the namespace `default` with one port, 80 to 8080. */
export function service(name: string, spec: Service['spec'] = {}, more: Partial<Service> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.1', ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    ...more,
  };
}

type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** An endpoint slice of a service: addresses, or endpoints in full. */
export function slice(
  of: string,
  endpoints: readonly (string | SliceEndpoint)[],
  more: Partial<EndpointSlice> = {},
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${of}-1`, namespace: 'default', labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    ports: [{ port: 8080, protocol: 'TCP' }],
    endpoints: endpoints.map((one) => (typeof one === 'string' ? { addresses: [one], nodeName: 'node' } : one)),
    ...more,
  };
}
