import type { EndpointSlice } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import { type Family, isOfOthers, type Protocol, type ServicePort } from './service-port.js';

/** An endpoint of one port of a service. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string;
  /** Zones and nodes of its hints; empty without hints. */
  readonly zones: readonly string[];
  readonly nodes: readonly string[];
}

/** The service that the proxy serves at the endpoints of a slice; none if the slice is not for this proxy. */
export function serviceOfSlice({ metadata }: EndpointSlice): readonly ObjectKey[] {
  const name = metadata.labels?.['kubernetes.io/service-name'];
  return name && !isOfOthers(metadata) ? [`${metadata.namespace}/${name}`] : [];
}

const addressTypes: Readonly<Record<Family, string>> = { 4: 'IPv4', 6: 'IPv6' };

/**
 * The endpoints of a port, from all slices of its service. One that two slices have, while it moves from one to the
 * other, is ready if it is in either.
 */
export function endpointsOf(
  slices: readonly EndpointSlice[],
  port: Pick<ServicePort, 'portName' | 'protocol'>,
  family: Family,
): Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const slice of slices) {
    if (slice.addressType !== addressTypes[family]) continue;
    const number = portOf(slice, port);
    if (number === undefined) continue;
    for (const endpoint of slice.endpoints ?? []) {
      const one = read(endpoint, number);
      if (!one) continue;
      const key = `${one.address} ${one.port}`;
      const other = found.get(key);
      if (!other || (one.ready && !other.ready) || (one.serving && !other.serving)) found.set(key, one);
    }
  }
  return [...found.values()];
}

/** A slice without ports has none, or `null` for them. */
function portOf(
  { ports }: EndpointSlice,
  { portName, protocol }: Pick<ServicePort, 'portName' | 'protocol'>,
): number | undefined {
  return (ports ?? []).find((one) => (one.name ?? '') === portName && protocolOf(one.protocol) === protocol)?.port;
}

function protocolOf(protocol = 'TCP'): Protocol {
  return protocol.toLowerCase() as Protocol;
}

function read(endpoint: NonNullable<EndpointSlice['endpoints']>[number], port: number): Endpoint | undefined {
  const { addresses, conditions = {}, nodeName = '', hints = {} } = endpoint;
  const [address] = addresses;
  if (!address) return undefined;
  const ready = conditions.ready ?? true;
  return {
    address,
    port,
    ready,
    serving: conditions.serving ?? ready,
    terminating: conditions.terminating ?? false,
    nodeName,
    zones: (hints.forZones ?? []).map(({ name }) => name),
    nodes: (hints.forNodes ?? []).map(({ name }) => name),
  };
}
