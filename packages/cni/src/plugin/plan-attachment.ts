import type { CniResult, CniRoute } from '../result.js';
import type { AddressRange } from './address-range.js';
import { egressLimitOf, limitDevice, shapeDevice } from './bandwidth.js';
import type { BridgeConfig } from './bridge-config.js';
import { hostInterfaceOf, hostMacOf, macOfAddress } from './names.js';

export interface AttachmentRequest {
  readonly owner: string;
  readonly netns: string;
  readonly ifName: string;
  /** One of each range, in the order of the ranges. */
  readonly addresses: readonly string[];
  readonly mtu: number;
}

/** Everything that connects a pod: lines for `ip -batch` and `tc -batch`, and the result for the runtime. */
export interface AttachmentPlan {
  readonly hostInterface: string;
  readonly host: readonly string[];
  readonly pod: readonly string[];
  readonly shapeHost: readonly string[];
  readonly shapePod: readonly string[];
  /** Statements of `nft` that hold the pod to its limit, whatever it does to its own end; empty without one. */
  readonly limit: string;
  readonly result: CniResult;
}

/**
 * A pod has a single address without a subnet, and sends everything to the node, which routes it: so the packet filter
 * sees traffic between two pods of one node too, on any kernel and with any settings.
 */
export function planAttachment(config: BridgeConfig, request: AttachmentRequest): AttachmentPlan {
  const { bridge, ranges, bandwidth } = config;
  const { owner, netns, ifName, addresses, mtu } = request;
  const hostInterface = hostInterfaceOf(owner);
  const mac = macOfAddress(addresses[0] ?? '');
  const routes = routesOf(config);
  const egressLimit = egressLimitOf(bandwidth);
  const peer = `peer name ${ifName} mtu ${mtu} address ${mac} netns ${netns}`;
  return {
    hostInterface,
    host: [
      `link add ${hostInterface} mtu ${mtu} address ${hostMacOf(owner)} type veth ${peer}`,
      `link set ${hostInterface} master ${bridge}`,
      // Where the bridge passes packets to the packet filter, a pod that reaches itself comes back through its own port.
      `link set ${hostInterface} type bridge_slave hairpin on`,
      `link set ${hostInterface} up`,
    ],
    pod: [
      ...addresses.map((address) => `addr add ${address}/${fullLength(address)} dev ${ifName}${noDad(address)}`),
      `link set ${ifName} up`,
      ...ranges.map(({ gateway }) => `route add ${gateway}/${fullLength(gateway)} dev ${ifName}`),
      ...routes.map(({ dst, gw }) => `route add ${dst} via ${gw} dev ${ifName}`),
    ],
    shapeHost: bandwidth?.ingressRate
      ? [shapeDevice(hostInterface, bandwidth.ingressRate, bandwidth.ingressBurst)]
      : [],
    shapePod: bandwidth?.egressRate ? [shapeDevice(ifName, bandwidth.egressRate, bandwidth.egressBurst)] : [],
    limit: egressLimit ? limitDevice(hostInterface, egressLimit) : '',
    result: {
      interfaces: [
        { name: bridge, mac: bridgeMac(config) },
        { name: hostInterface, mac: hostMacOf(owner) },
        { name: ifName, mac, mtu, sandbox: netns },
      ],
      ips: addresses.map((address, i) => ({
        address: `${address}/${fullLength(address)}`,
        gateway: ranges[i]?.gateway ?? '',
        interface: 2,
      })),
      routes,
      ...(config.dns && { dns: config.dns }),
    },
  };
}

/** The line that makes the bridge, for the first pod of a node. */
export function createBridge(config: BridgeConfig, mtu: number): string {
  return `link add ${config.bridge} mtu ${mtu} address ${bridgeMac(config)} type bridge`;
}

/** Lines that bring the bridge up as the gateway of the node's pods. */
export function bringUpBridge({ bridge, ranges }: BridgeConfig): string[] {
  return [
    `link set ${bridge} up`,
    ...ranges.map(
      ({ gateway, prefixLength }) => `addr replace ${gateway}/${prefixLength} dev ${bridge}${noDad(gateway)}`,
    ),
  ];
}

/** Kernel settings for routing of pods, by file below `/proc/sys/net`. Set before the bridge is up. */
export function bridgeSysctls({ bridge, ranges }: BridgeConfig): readonly (readonly [string, string])[] {
  const forwarding = { 4: 'ipv4/ip_forward', 6: 'ipv6/conf/all/forwarding' } as const;
  return [
    ...ranges.map(({ family }) => [forwarding[family], '1'] as const),
    // Until its own link-local address has been probed for a second, the node would look for no pod.
    [`ipv6/conf/${bridge}/accept_dad`, '0'],
    // Host ports on 127.0.0.1 lead into the bridge.
    [`ipv4/conf/${bridge}/route_localnet`, '1'],
  ];
}

function bridgeMac({ ranges }: BridgeConfig): string {
  return macOfAddress(ranges[0]?.gateway ?? '');
}

function routesOf({ ranges, routes }: BridgeConfig): CniRoute[] {
  const gatewayOf = (six: boolean) => ranges.find(({ family }) => (family === 6) === six)?.gateway;
  const defaults = ranges.map(({ family, gateway }) => ({ dst: family === 6 ? '::/0' : '0.0.0.0/0', gw: gateway }));
  const others = routes
    .filter(({ dst }) => !defaults.some((one) => one.dst === dst))
    .map(({ dst, gw = gatewayOf(dst.includes(':')) }) => ({ dst, ...(gw && { gw }) }));
  return [...defaults, ...others.filter(({ gw }) => gw)];
}

function fullLength(address: string): 32 | 128 {
  return address.includes(':') ? 128 : 32;
}

/** The node allocates the addresses itself: duplicate address detection is not needed. */
function noDad(address: string): string {
  return address.includes(':') ? ' nodad' : '';
}

/** The node's pod ranges of a configuration. */
export function podRanges(ranges: readonly AddressRange[]): string[] {
  return ranges.map(({ subnet }) => subnet);
}
