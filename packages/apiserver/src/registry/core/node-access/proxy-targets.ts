import { type Pod, refs, type Service } from '@coracle/api';
import { badRequest, cidrContains, notFound, parseCidr, parseIp, serviceUnavailable } from '@coracle/apimachinery';
import type { ObjectReader } from '../../../object-reader.js';
import type { DialAddress, OutboundTls } from '../../../outbound/dialer.js';
import {
  chooseEndpoint,
  type Endpoint,
  readyEndpoints,
  type ServiceSource,
} from '../../../outbound/resolve-service.js';

/** Parses the name in the path of a proxy request: `https:web:8443`, `web:http`, `web`. */
export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

export function parseProxyName(text: string): ProxyName | undefined {
  const parts = text.split(':');
  if (parts.length === 1) return { scheme: 'http', name: text, port: '' };
  if (parts.length === 2) return { scheme: 'http', name: parts[0] as string, port: parts[1] as string };
  const [scheme, name = '', port = ''] = parts;
  if (parts.length > 3 || (scheme !== '' && scheme !== 'http' && scheme !== 'https')) return undefined;
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

function parseOrRefuse(kind: string, text: string): ProxyName {
  const parsed = parseProxyName(text);
  if (!parsed) throw badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
  return parsed;
}

/** Certificates of pods are not verified: they are self-signed, and the address is that of the selected pod. */
const unverified: OutboundTls = { insecureSkipVerify: true };

/** A pod is reached at the port in the request, or at the first port of its containers. */
export function podTarget(objects: ObjectReader, namespace: string, text: string): DialAddress {
  const { scheme, name, port } = parseOrRefuse('pod', text);
  const pod = objects.get(refs.pods, namespace, name);
  if (!pod) throw notFound(refs.pods, name);
  const host = pod.status?.podIPs?.[0]?.ip ?? '';
  if (!isReachable(host)) throw badRequest('address not allowed');
  return { scheme, host, port: Number(port) || firstPort(pod) || (scheme === 'https' ? 443 : 80), tls: unverified };
}

/**
 * Addresses that are rejected: loopback, link-local and multicast. The address of a pod is whatever its status says.
 */
const notOfPods = [
  ...['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
].map(parseCidr);

function isReachable(host: string): boolean {
  const address = parseIp(host);
  return address !== undefined && !notOfPods.some((cidr) => cidr !== undefined && cidrContains(cidr, address));
}

function firstPort({ spec }: Pod): number | undefined {
  return spec?.containers?.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
}

/** A service is reached at one of its ready endpoints. */
export function serviceTarget({ objects, random }: ServiceSource, namespace: string, text: string): DialAddress {
  const { scheme, name, port } = parseOrRefuse('service', text);
  const service = objects.get(refs.services, namespace, name);
  if (!service) throw notFound(refs.services, name);
  const portName = servicePortName(service, port);
  const isEligible = (endpoint: Endpoint) => isOfPod(endpoint, namespace, objects);
  const endpoints = readyEndpoints({ objects, service, portName, isEligible });
  return { scheme, ...chooseEndpoint(endpoints, random, text), tls: unverified };
}

/** Ports are selected by name, or by their number in the service. */
function servicePortName({ metadata, spec }: Service, port: string): string {
  const ports = spec?.ports ?? [];
  if (port === '') return ports.length === 1 ? (ports[0]?.name ?? '') : '';
  const found = ports.find((one) => one.name === port || String(one.port) === port);
  if (found) return found.name ?? '';
  throw serviceUnavailable(
    `no service port ${JSON.stringify(port)} found for service ${JSON.stringify(metadata.name)}`,
  );
}

/**
 * A client that can write endpoint slices may write any address, so only the address of an existing pod of this
 * namespace is used.
 */
function isOfPod({ addresses, targetRef }: Endpoint, namespace: string, objects: ObjectReader): boolean {
  if (targetRef?.namespace !== namespace) return false;
  const pod = objects.get(refs.pods, namespace, targetRef.name ?? '');
  return pod?.status?.podIPs?.some(({ ip }) => ip === addresses[0]) ?? false;
}
