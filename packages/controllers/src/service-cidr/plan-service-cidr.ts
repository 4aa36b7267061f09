import type { networkingv1 } from '@coracle/api';
import { type Cidr, cidrContains, parseCidr, parseIp } from '@coracle/apimachinery';

type ServiceCidr = networkingv1.ServiceCIDR;

/** Whether a range can be deleted without leaving addresses outside of all ranges. */
export function mayGo(
  range: ServiceCidr,
  all: readonly ServiceCidr[],
  addresses: readonly networkingv1.IPAddress[],
): boolean {
  const others = all.filter((other) => other.metadata.name !== range.metadata.name).flatMap(networksOf);
  const own = networksOf(range);
  if (own.every((network) => others.some((other) => covers(other, network)))) return true;
  return !addresses.some(({ metadata }) => {
    const ip = parseIp(metadata.name ?? '');
    if (!ip || !own.some((network) => cidrContains(network, ip))) return false;
    return !others.some((other) => cidrContains(other, ip));
  });
}

function networksOf({ spec }: ServiceCidr): Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

function covers(outer: Cidr, inner: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);
}
