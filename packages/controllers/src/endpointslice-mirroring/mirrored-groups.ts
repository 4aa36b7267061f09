import type { discoveryv1, EndpointAddress, EndpointSubset, Endpoints } from '@coracle/api';
import { formatIp, parseIp } from '@coracle/apimachinery';
import { type EndpointGroup, portsKey } from '../endpointslice/endpoint-group.js';

export interface Mirrored {
  /** The endpoints by address type, as slices have them. */
  readonly groups: ReadonlyMap<string, readonly EndpointGroup[]>;
  /** Number of invalid addresses. */
  readonly invalid: number;
  /** Number of addresses that are not mirrored, including invalid ones. */
  readonly skipped: number;
}

/**
 * The part of an Endpoints object that is mirrored: of each set of ports at most `most` addresses, the ready ones
 * first.
 */
export function mirroredGroups({ subsets = [] }: Endpoints, most: number): Mirrored {
  const groups = new Map<string, Map<string, EndpointGroup>>();
  let [invalid, skipped] = [0, 0];
  for (const { ports, addresses } of byPorts(subsets)) {
    let taken = 0;
    for (const { address, ready } of addresses) {
      if (taken >= most) break;
      const ip = parseIp(address.ip);
      if (!ip) {
        invalid++;
        continue;
      }
      taken++;
      const family = `IPv${ip.family}`;
      const ofFamily = groups.get(family) ?? new Map<string, EndpointGroup>();
      groups.set(family, ofFamily);
      const group = ofFamily.get(portsKey(ports)) ?? { ports, endpoints: [] };
      ofFamily.set(portsKey(ports), group);
      group.endpoints.push(endpointOf(address, { ip: formatIp(ip), ready }));
    }
    skipped += addresses.length - taken;
  }
  return {
    groups: new Map([...groups].map(([family, ofFamily]) => [family, [...ofFamily.values()]])),
    invalid,
    skipped,
  };
}

interface PortSet {
  readonly ports: discoveryv1.EndpointPort[];
  readonly addresses: { readonly address: EndpointAddress; readonly ready: boolean }[];
}

/**
 * Merges subsets with the same ports, without duplicate addresses; an address that is ready in one of them is ready.
 */
function byPorts(subsets: readonly EndpointSubset[]): PortSet[] {
  const sets = new Map<string, PortSet>();
  const seen = new Set<string>();
  for (const [list, ready] of [
    ['addresses', true],
    ['notReadyAddresses', false],
  ] as const) {
    for (const subset of subsets) {
      const ports = (subset.ports ?? []).map(({ name = '', protocol = 'TCP', ...port }) => ({
        name,
        protocol,
        ...port,
      }));
      const key = portsKey(ports);
      const set = sets.get(key) ?? { ports, addresses: [] };
      sets.set(key, set);
      for (const address of subset[list] ?? []) {
        const identity = `${key} ${address.ip} ${address.targetRef?.uid ?? ''}`;
        if (seen.has(identity)) continue;
        seen.add(identity);
        set.addresses.push({ address, ready });
      }
    }
  }
  return [...sets.values()];
}

function endpointOf(
  { hostname, nodeName, targetRef }: EndpointAddress,
  { ip, ready }: { readonly ip: string; readonly ready: boolean },
): discoveryv1.Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}
