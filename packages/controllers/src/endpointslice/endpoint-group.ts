import type { discoveryv1 } from '@coracle/api';

/** Endpoints with the same ports: pods may use one name for different numbers. */
export interface EndpointGroup {
  readonly ports: readonly discoveryv1.EndpointPort[];
  readonly endpoints: discoveryv1.Endpoint[];
}

/** The key of a set of ports, in any order. */
export function portsKey(ports: readonly discoveryv1.EndpointPort[]): string {
  return ports
    .map(({ name = '', protocol = 'TCP', port = 0, appProtocol = '' }) => `${name}|${protocol}|${port}|${appProtocol}`)
    .sort()
    .join(',');
}

/** The key of an endpoint, in any state. */
export function endpointKey({ addresses, targetRef, hostname, nodeName }: discoveryv1.Endpoint): string {
  return [addresses.join(), targetRef?.uid ?? '', hostname ?? '', nodeName ?? ''].join('|');
}
