import { cidrContains, parseCidr } from '@coracle/apimachinery';
import type { HostPortElement } from './host-ports.js';
import type { LeaseStore } from './plugin-host.js';

/** The table of the plugin. Everything that it adds to the node's packet filter is in it. */
export const nodeTable = 'inet coracle-cni';

export interface Masquerade {
  /** The node's own pod ranges. */
  readonly sources: readonly string[];
  /** What pods reach with their own addresses. */
  readonly except: readonly string[];
}

/**
 * The rules that all pods of the node share. They can be written again at any time: chains are replaced in one
 * transaction, and maps keep their elements.
 */
export function nodeTableRules(bridge: string, masquerade: Masquerade | undefined): string {
  const chains = ['host-ports', 'prerouting', 'output', 'postrouting', 'redirects'];
  return `
table ${nodeTable} {
  map host-ports-4 { type inet_proto . inet_service : ipv4_addr . inet_service; }
  map host-ports-6 { type inet_proto . inet_service : ipv6_addr . inet_service; }
  map host-ip-ports-4 { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
  map host-ip-ports-6 { type ipv6_addr . inet_proto . inet_service : ipv6_addr . inet_service; }
  set hairpin-4 { type ipv4_addr . ipv4_addr; }
  set hairpin-6 { type ipv6_addr . ipv6_addr; }
  chain host-ports { }
  chain prerouting { type nat hook prerouting priority -95; }
  chain output { type nat hook output priority -95; }
  chain postrouting { type nat hook postrouting priority srcnat; }
  chain redirects { type filter hook output priority filter; }
}
${chains.map((chain) => `flush chain ${nodeTable} ${chain}`).join('\n')}
table ${nodeTable} {
  chain host-ports {
    meta l4proto { tcp, udp, sctp } dnat ip to ip daddr . meta l4proto . th dport map @host-ip-ports-4
    meta l4proto { tcp, udp, sctp } dnat ip6 to ip6 daddr . meta l4proto . th dport map @host-ip-ports-6
    meta l4proto { tcp, udp, sctp } dnat ip to meta l4proto . th dport map @host-ports-4
    meta l4proto { tcp, udp, sctp } dnat ip6 to meta l4proto . th dport map @host-ports-6
  }
  chain prerouting { fib daddr type local goto host-ports
  }
  chain output { fib daddr type local goto host-ports
  }
  chain postrouting {
    ct status dnat ip saddr . ip daddr @hairpin-4 masquerade
    ct status dnat ip6 saddr . ip6 daddr @hairpin-6 masquerade
    ct status dnat ip saddr 127.0.0.0/8 masquerade
${masquerade ? masqueradeRules(masquerade) : ''}  }
  # The way between two pods goes in and out of the bridge: they must not receive redirects to a shorter one.
  chain redirects {
    oifname ${bridge} icmp type redirect drop
    oifname ${bridge} icmpv6 type nd-redirect drop
  }
}
`;
}

function masqueradeRules({ sources, except }: Masquerade): string {
  return [4, 6]
    .map((family) => {
      const own = sources.filter((network) => network.includes(':') === (family === 6));
      if (own.length === 0) return '';
      const word = family === 4 ? 'ip' : 'ip6';
      const multicast = family === 4 ? '224.0.0.0/4' : 'ff00::/8';
      const rest = [...own, ...except.filter((network) => network.includes(':') === (family === 6)), multicast];
      return `    ${word} saddr { ${own.join(', ')} } ${word} daddr != { ${withoutNested(rest).join(', ')} } masquerade\n`;
    })
    .join('');
}

/** Networks that are not inside another of the list: nftables refuses overlapping intervals. */
function withoutNested(networks: readonly string[]): string[] {
  const unique = [...new Set(networks)];
  return unique.filter((one) => !unique.some((other) => other !== one && contains(other, one)));
}

function contains(outer: string, inner: string): boolean {
  const a = parseCidr(outer);
  const b = parseCidr(inner);
  return !!a && !!b && a.prefixLength <= b.prefixLength && cidrContains(a, b.address);
}

/** Adds host ports, and what lets a pod reach itself through them. */
export function addHostPorts(elements: readonly HostPortElement[], addresses: readonly string[]): string {
  return [
    ...elements.map(({ map, key, value }) => `add element ${nodeTable} ${map} { ${key} : ${value} }`),
    ...addresses.map((address) => `add element ${nodeTable} ${hairpinSet(address)} { ${address} . ${address} }`),
  ].join('\n');
}

/** Adds the host ports of all attachments to a table that has lost them. Of two that claim the same port, one gets it. */
export function restoreHostPorts(leases: Pick<LeaseStore, 'owners' | 'attachment'>): string {
  const attachments = leases.owners().flatMap((owner) => leases.attachment(owner) ?? []);
  const withPorts = attachments.filter(({ hostPorts }) => hostPorts.length > 0);
  const byKey = new Map(withPorts.flatMap(({ hostPorts }) => hostPorts.map((one) => [`${one.map} ${one.key}`, one])));
  return addHostPorts([...byKey.values()], [...new Set(withPorts.flatMap(({ addresses }) => addresses))]);
}

/** Each element is added first, because one that is not there cannot be deleted. */
export function removeHostPorts(elements: readonly HostPortElement[], addresses: readonly string[]): string {
  return [
    ...elements.flatMap(({ map, key, value }) => [
      `add element ${nodeTable} ${map} { ${key} : ${value} }`,
      `delete element ${nodeTable} ${map} { ${key} }`,
    ]),
    ...addresses.flatMap((address) => [
      `add element ${nodeTable} ${hairpinSet(address)} { ${address} . ${address} }`,
      `delete element ${nodeTable} ${hairpinSet(address)} { ${address} . ${address} }`,
    ]),
  ].join('\n');
}

function hairpinSet(address: string): string {
  return `hairpin-${address.includes(':') ? 6 : 4}`;
}
