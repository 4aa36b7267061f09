import type { Service } from '@coracle/api';
import {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  maskedCidr,
  type ObjectMeta,
  parseCidr,
  parseIp,
} from '@coracle/apimachinery';

export type Protocol = 'tcp' | 'udp' | 'sctp';
export type Family = 4 | 6;

/** One port of a service, as a node of one address family serves it. */
export interface ServicePort {
  /** `namespace/name:port`. */
  readonly name: string;
  readonly portName: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly clusterIps: readonly string[];
  readonly externalIps: readonly string[];
  /** Addresses of a load balancer that the node may answer for itself. */
  readonly loadBalancerIps: readonly string[];
  /** Sources that may reach the load balancer's addresses; all if empty. */
  readonly sourceRanges: readonly string[];
  /** 0 for none. */
  readonly nodePort: number;
  /** Timeout of session affinity; 0 without affinity. */
  readonly affinitySeconds: number;
  readonly internalLocal: boolean;
  readonly externalLocal: boolean;
}

const protocols: Readonly<Record<string, Protocol>> = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' };

/** Labels of services and endpoint slices that this proxy ignores, whatever their value. */
const labelsOfOthers = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless'];

/** Whether an object is for another proxy, or is marked as headless. */
export function isOfOthers({ labels = {} }: ObjectMeta): boolean {
  return labelsOfOthers.some((label) => labels[label] !== undefined);
}

/** Whether the proxy has anything to do for a service: headless ones and names of others have no address. */
export function isProxied({ spec, metadata }: Service): boolean {
  if (spec?.type === 'ExternalName' || !spec?.clusterIP || spec.clusterIP === 'None') return false;
  return !isOfOthers(metadata);
}

/** The ports of a service, with its addresses of one family. */
export function servicePorts(service: Service, family: Family): ServicePort[] {
  const { metadata, spec = {} } = service;
  if (!isProxied(service)) return [];
  const own = (addresses: readonly string[] | undefined) => canonicalAddresses(addresses ?? [], family);
  const clusterIps = own(spec.clusterIPs ?? [spec.clusterIP ?? '']);
  if (clusterIps.length === 0) return [];
  const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const shared = {
    clusterIps,
    externalIps: own(spec.externalIPs),
    loadBalancerIps: spec.type === 'LoadBalancer' ? own(loadBalancerIps(service)) : [],
    sourceRanges: widestRanges(sourceRanges(service), family),
    affinitySeconds:
      spec.sessionAffinity === 'ClientIP' ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : 0,
    internalLocal: spec.internalTrafficPolicy === 'Local',
    externalLocal: spec.externalTrafficPolicy === 'Local',
  };
  return (spec.ports ?? []).map(({ name = '', protocol = 'TCP', port, nodePort = 0 }) => ({
    ...shared,
    name: `${metadata.namespace}/${metadata.name}:${name}`,
    portName: name,
    protocol: protocols[protocol] ?? 'tcp',
    port,
    nodePort: external ? nodePort : 0,
  }));
}

/** An address with `ipMode: Proxy` is not short-circuited: its traffic must pass the load balancer. */
function loadBalancerIps({ status }: Service): string[] {
  return (status?.loadBalancer?.ingress ?? [])
    .filter(({ ip, ipMode }) => ip !== undefined && (ipMode ?? 'VIP') === 'VIP')
    .map(({ ip = '' }) => ip);
}

function sourceRanges({ spec, metadata }: Service): string[] {
  const annotated = metadata.annotations?.['service.beta.kubernetes.io/load-balancer-source-ranges'];
  return (spec?.loadBalancerSourceRanges ?? annotated?.split(',') ?? []).map((range) => range.trim()).filter(Boolean);
}

/** One spelling of each: of two services with the same address the packet filter must see that it is the same. */
function canonicalAddresses(texts: readonly string[], family: Family): string[] {
  const addresses = texts.flatMap((text) => parseIp(text) ?? []).filter((address) => address.family === family);
  return [...new Set(addresses.map(formatIp))];
}

/** The ranges of a family, without those within another: an nftables set rejects overlaps. */
function widestRanges(texts: readonly string[], family: Family): string[] {
  const ranges = texts
    .flatMap((text) => parseCidr(text) ?? [])
    .filter(({ address }) => address.family === family)
    .sort((a, b) => a.prefixLength - b.prefixLength);
  const widest: Cidr[] = [];
  for (const range of ranges)
    if (!widest.some((other) => cidrContains(other, range.address))) widest.push(maskedCidr(range));
  return widest.map(formatCidr);
}
