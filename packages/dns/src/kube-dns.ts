import type { EndpointSlice, Service } from '@coracle/api';
import { formatIp, maskedCidr, parseCidr } from '@coracle/apimachinery';

export const dnsNamespace = 'kube-system';
export const dnsName = 'kube-dns';
/** Port of a node's server, to which the service maps port 53. */
export const dnsPort = 10_053;

/** The tenth address of a range of services: where clients of Kubernetes expect the DNS server. */
export function dnsAddressOf(serviceRange: string): string | undefined {
  const cidr = parseCidr(serviceRange);
  if (!cidr) return undefined;
  const { address } = maskedCidr(cidr);
  const bytes = Uint8Array.from(address.bytes);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) + 10;
  return formatIp({ family: address.family, bytes });
}

/** The service `kube-dns`. It has no selector: its server is no pod. */
export function dnsService(addresses: readonly string[]): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: dnsName,
      namespace: dnsNamespace,
      labels: {
        'k8s-app': 'kube-dns',
        'kubernetes.io/cluster-service': 'true',
        'kubernetes.io/name': 'CoreDNS',
      },
    },
    spec: {
      clusterIP: addresses[0] ?? '',
      clusterIPs: [...addresses],
      ...(addresses.length > 1 && { ipFamilyPolicy: 'RequireDualStack' }),
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: dnsPort },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: dnsPort },
      ],
    },
  };
}

export interface DnsEndpoint {
  readonly nodeName: string;
  readonly address: string;
  /** Listening port of the server, if it is not the default. */
  readonly port?: number;
}

/** The endpoint slice of one node's server. */
export function dnsEndpointSlice({ nodeName, address, port = dnsPort }: DnsEndpoint): EndpointSlice {
  const six = address.includes(':');
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${dnsName}-${nodeName}${six ? '-ipv6' : ''}`,
      namespace: dnsNamespace,
      labels: { 'kubernetes.io/service-name': dnsName, 'endpointslice.kubernetes.io/managed-by': 'coracle-dns' },
    },
    addressType: six ? 'IPv6' : 'IPv4',
    ports: [
      { name: 'dns', port, protocol: 'UDP' },
      { name: 'dns-tcp', port, protocol: 'TCP' },
    ],
    endpoints: [{ addresses: [address], nodeName, conditions: { ready: true, serving: true, terminating: false } }],
  };
}
