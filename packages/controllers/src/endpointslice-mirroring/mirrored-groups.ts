import type { discoveryv1, EndpointAddress, EndpointSubset, Endpoints } from '@coracle/api';
import { parseIp } from '@coracle/apimachinery';
import { type EndpointGroup, portsKey } from '../endpointslice/service-endpoints.js';

/** More addresses of one subset than this are not copied. */
const maxPerSubset = 1000;

/** The endpoints of an Endpoints object by address type, as slices have them. */
export function mirroredGroups({ subsets = [] }: Endpoints): Map<string, EndpointGroup[]> {
  const groups = new Map<string, Map<string, EndpointGroup>>();
  for (const subset of subsets) {
    const ports = (subset.ports ?? []).map(({ name = '', protocol = 'TCP', ...port }) => ({ name, protocol, ...port }));
    for (const { address, ready } of addressesOf(subset)) {
      const family = familyOf(address.ip);
      if (family === undefined) continue;
      const ofFamily = groups.get(family) ?? new Map<string, EndpointGroup>();
      groups.set(family, ofFamily);
      const key = portsKey(ports);
      const group = ofFamily.get(key) ?? { ports, endpoints: [] };
      ofFamily.set(key, group);
      group.endpoints.push(endpointOf(address, ready));
    }
  }
  return new Map([...groups].map(([family, ofFamily]) => [family, [...ofFamily.values()]]));
}

function addressesOf(subset: EndpointSubset): { readonly address: EndpointAddress; readonly ready: boolean }[] {
  const of = (list: readonly EndpointAddress[] | undefined, ready: boolean) =>
    (list ?? []).map((address) => ({ address, ready }));
  return [...of(subset.addresses, true), ...of(subset.notReadyAddresses, false)].slice(0, maxPerSubset);
}

function familyOf(ip: string): string | undefined {
  const family = parseIp(ip)?.family;
  return family && `IPv${family}`;
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): discoveryv1.Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}
