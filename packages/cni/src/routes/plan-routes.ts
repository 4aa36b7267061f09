import { formatIp, maskedCidr, parseCidr } from '@coracle/apimachinery';
import { macOfAddress } from '../plugin/names.js';

/** Another node, as far as packets to its pods are concerned. */
export interface RoutePeer {
  readonly name: string;
  /** Its own addresses, one of each family at the most. */
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
  /** Whether it is on a segment with this node, so that it can be the next hop. */
  readonly adjacent: boolean;
}

export type RouteBackend = 'auto' | 'host-gateway' | 'vxlan';

export interface RoutePlan {
  /** Route → the line of `ip route replace` behind the destination. */
  readonly routes: ReadonlyMap<string, string>;
  /** Next hops inside of the tunnel: address → hardware address. */
  readonly neighbours: ReadonlyMap<string, string>;
  /** Forwarding database of the tunnel: hardware address → address of the node. */
  readonly forwarding: ReadonlyMap<string, string>;
}

export const tunnelDevice = 'coracle.1';
/** flannel's port, which firewalls know. */
const tunnelPort = 8472;
/** Overhead of the tunnel's headers per packet. */
export const tunnelOverhead = 50;
/** Marks own routes, so that those of an earlier process are recognized. */
export const routeProtocol = 112;

/**
 * The route to the pods of other nodes: directly to the node on the same segment, else through a VXLAN tunnel. The
 * hardware address of a tunnel's end is derived from the node's pod range, so that it need not be published.
 */
export function planRoutes(peers: readonly RoutePeer[], backend: RouteBackend): RoutePlan {
  const routes = new Map<string, string>();
  const neighbours = new Map<string, string>();
  const forwarding = new Map<string, string>();
  for (const { addresses, podCidrs, adjacent } of peers) {
    const tunnelled = backend === 'vxlan' || (backend === 'auto' && !adjacent);
    const mac = tunnelMac(podCidrs);
    for (const cidr of podCidrs) {
      if (tunnelled) {
        const end = networkAddress(cidr);
        routes.set(cidr, `via ${end} dev ${tunnelDevice} onlink`);
        neighbours.set(end, mac);
      } else {
        const hop = addresses.find((address) => address.includes(':') === cidr.includes(':'));
        if (hop) routes.set(cidr, `via ${hop}`);
      }
    }
    const [underlay] = addresses;
    if (tunnelled && underlay) forwarding.set(mac, underlay);
  }
  return { routes, neighbours, forwarding };
}

/** The lines for `ip -batch` that lead from one plan to another. */
export function routeChanges(before: RoutePlan | undefined, after: RoutePlan): string[] {
  const gone = (old: ReadonlyMap<string, string> | undefined, now: ReadonlyMap<string, string>) =>
    [...(old?.keys() ?? [])].filter((key) => !now.has(key));
  const changed = (old: ReadonlyMap<string, string> | undefined, now: ReadonlyMap<string, string>) =>
    [...now].filter(([key, value]) => old?.get(key) !== value);
  return [
    ...changed(before?.neighbours, after.neighbours).map(
      ([address, mac]) => `neigh replace ${address} lladdr ${mac} dev ${tunnelDevice} nud permanent`,
    ),
    ...changed(before?.routes, after.routes).map(
      ([cidr, hop]) => `route replace ${cidr} ${hop} proto ${routeProtocol}`,
    ),
    ...gone(before?.routes, after.routes).map((cidr) => `route del ${cidr} proto ${routeProtocol}`),
    ...gone(before?.neighbours, after.neighbours).map((address) => `neigh del ${address} dev ${tunnelDevice}`),
  ];
}

/** The lines for `bridge -batch`: which node is behind which end of the tunnel. */
export function forwardingChanges(before: RoutePlan | undefined, after: RoutePlan): string[] {
  const old = before?.forwarding;
  return [
    ...[...after.forwarding]
      .filter(([mac, address]) => old?.get(mac) !== address)
      .map(([mac, address]) => `fdb replace ${mac} dev ${tunnelDevice} dst ${address}`),
    ...[...(old ?? [])]
      .filter(([mac]) => !after.forwarding.has(mac))
      .map(([mac, address]) => `fdb del ${mac} dev ${tunnelDevice} dst ${address}`),
  ];
}

/** The lines that make this node's end of the tunnel. */
export function tunnelLines(
  podCidrs: readonly string[],
  { local, mtu }: { readonly local: string; readonly mtu: number },
): string[] {
  return [
    `link add ${tunnelDevice} mtu ${mtu} address ${tunnelMac(podCidrs)} type vxlan id 1 local ${local} dstport ${tunnelPort} nolearning`,
    ...podCidrs.map(
      (cidr) => `addr replace ${networkAddress(cidr)}/${cidr.includes(':') ? '128 nodad' : 32} dev ${tunnelDevice}`,
    ),
    `link set ${tunnelDevice} up`,
  ];
}

function tunnelMac(podCidrs: readonly string[]): string {
  const first = podCidrs.find((cidr) => !cidr.includes(':')) ?? podCidrs[0] ?? '';
  return macOfAddress(networkAddress(first)).replace(/^0a/, '0e');
}

function networkAddress(cidr: string): string {
  const parsed = parseCidr(cidr);
  return parsed ? formatIp(maskedCidr(parsed).address) : '';
}
