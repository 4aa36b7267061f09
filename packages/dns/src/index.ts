export { ClusterZone, type ClusterZoneOptions } from './cluster-zone.js';
export { type DnsProtocol, DnsServer, type DnsServerOptions } from './dns-server.js';
export { Forwarder, type ForwarderOptions, type QueryServer } from './forwarder.js';
export {
  type DnsEndpoint,
  dnsAddressOf,
  dnsEndpointSlice,
  dnsName,
  dnsNamespace,
  dnsPort,
  dnsService,
} from './kube-dns.js';
export { type Answer, type DnsRecord, recordTypes, responseCodes } from './record.js';
export { parseResolverConfig, type ResolverConfig } from './resolver-config.js';
