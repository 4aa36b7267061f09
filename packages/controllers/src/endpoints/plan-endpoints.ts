import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@coracle/api';
import { hasEndpoint, podAddress, podHostname, podReference, targetPort } from '../pod-endpoint.js';
import { isReady } from '../pod-state.js';

/** Maximum number of addresses of an object; clients that need all of them read the slices. */
export const maxAddresses = 1000;

/** The desired Endpoints object of a service before truncation. */
export function endpointSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const family = service.spec?.ipFamilies?.[0] ?? 'IPv4';
  const includesUnready = service.spec?.publishNotReadyAddresses === true;
  const found: PortAddress[] = [];
  for (const pod of pods) {
    const ip = hasEndpoint(pod, includesUnready) ? podAddress(pod, family) : undefined;
    if (ip === undefined) continue;
    const address = addressOf(pod, service, ip);
    const ready = includesUnready || isReady(pod);
    for (const port of portsOf(service, pod)) found.push({ port, address, ready });
  }
  return repack(found);
}

/** One port of one pod. Headless services may have no port at all. */
interface PortAddress {
  readonly port: EndpointPort | undefined;
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

function addressOf(pod: Pod, service: Service, ip: string): EndpointAddress {
  const hostname = podHostname(pod, service);
  const nodeName = pod.spec?.nodeName;
  return {
    ip,
    ...(nodeName && { nodeName }),
    ...(hostname !== undefined && { hostname }),
    targetRef: podReference(pod),
  };
}

function portsOf({ spec }: Service, pod: Pod): (EndpointPort | undefined)[] {
  const ports = spec?.ports ?? [];
  if (ports.length === 0 && spec?.clusterIP === 'None') return [undefined];
  return ports.flatMap((servicePort) => {
    const port = targetPort(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = servicePort;
    return [{ ...(name && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

/** Addresses with the same ports come together: first the addresses of each port, then the ports of each such set. */
function repack(found: readonly PortAddress[]): EndpointSubset[] {
  const byPort = new Map<string, { port: EndpointPort | undefined; members: PortAddress[] }>();
  for (const one of found) {
    const key = JSON.stringify(one.port ?? null);
    const entry = byPort.get(key) ?? { port: one.port, members: [] };
    byPort.set(key, entry);
    entry.members.push(one);
  }
  const bySet = new Map<string, { ports: EndpointPort[]; members: readonly PortAddress[] }>();
  for (const { port, members } of byPort.values()) {
    const sorted = [...members].sort((a, b) => compare(addressKey(a), addressKey(b)));
    const key = sorted.map(addressKey).join(';');
    const entry = bySet.get(key) ?? { ports: [], members: sorted };
    bySet.set(key, entry);
    if (port) entry.ports.push(port);
  }
  return [...bySet].sort(([a], [b]) => compare(a, b)).map(([, entry]) => subsetOf(entry));
}

function subsetOf({ ports, members }: { ports: EndpointPort[]; members: readonly PortAddress[] }): EndpointSubset {
  const addresses = members.filter(({ ready }) => ready).map(({ address }) => address);
  const notReadyAddresses = members.filter(({ ready }) => !ready).map(({ address }) => address);
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: ports.sort((a, b) => compare(portKey(a), portKey(b))) }),
  };
}

function addressKey({ address, ready }: PortAddress): string {
  return `${address.ip}|${address.targetRef?.uid ?? ''}|${ready}`;
}

function portKey({ name = '', protocol = '', port }: EndpointPort): string {
  return `${name}|${protocol}|${port}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface CutSubsets {
  readonly subsets: EndpointSubset[];
  readonly truncated: boolean;
}

/** Truncates: addresses that are not ready first, and proportionally by subset. */
export function cutToSize(subsets: readonly EndpointSubset[]): CutSubsets {
  const count = (field: 'addresses' | 'notReadyAddresses') =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const ready = count('addresses');
  if (ready + count('notReadyAddresses') <= maxAddresses) return { subsets: [...subsets], truncated: false };
  const keepsReady = ready >= maxAddresses;
  const field = keepsReady ? 'addresses' : 'notReadyAddresses';
  const cut = shares(
    subsets.map((subset) => subset[field]?.length ?? 0),
    keepsReady ? maxAddresses : maxAddresses - ready,
  );
  const sortedSubsets = subsets.map(({ notReadyAddresses = [], ...subset }, index): EndpointSubset => {
    const share = cut[index] ?? 0;
    if (keepsReady) return { ...subset, ...(subset.addresses && { addresses: subset.addresses.slice(0, share) }) };
    const rest = notReadyAddresses.slice(0, share);
    return { ...subset, ...(rest.length > 0 && { notReadyAddresses: rest }) };
  });
  return {
    subsets: sortedSubsets.filter((subset) => subset.addresses?.length || subset.notReadyAddresses?.length),
    truncated: true,
  };
}

/** Divides `total` in proportion to the sizes. The remainder goes to the first that can take it. */
function shares(sizes: readonly number[], total: number): number[] {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const parts = sizes.map((size) => Math.floor((size * total) / all));
  let left = total - parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part, index) => {
    const more = Math.min(left, (sizes[index] as number) - part);
    left -= more;
    return part + more;
  });
}
