import { isRecord } from '@coracle/base';
import { CniError, cniErrorCodes } from '../cni-error.js';
import type { EgressLimit, LeaseStore, PluginHost } from './plugin-host.js';

/** Limits in bits per second and bits; 0 for none. */
export interface Bandwidth {
  readonly ingressRate: number;
  readonly ingressBurst: number;
  readonly egressRate: number;
  readonly egressBurst: number;
}

export function bandwidthOf(value: unknown): Bandwidth | undefined {
  if (!isRecord(value)) return undefined;
  const number = (field: string): number => {
    const one = value[field] ?? 0;
    if (typeof one === 'number' && Number.isFinite(one) && one >= 0) return one;
    throw new CniError(cniErrorCodes.invalidNetworkConfig, `invalid bandwidth ${field} ${JSON.stringify(one)}`);
  };
  const limits = {
    ingressRate: number('ingressRate'),
    ingressBurst: number('ingressBurst'),
    egressRate: number('egressRate'),
    egressBurst: number('egressBurst'),
  };
  return limits.ingressRate > 0 || limits.egressRate > 0 ? limits : undefined;
}

export function egressLimitOf(bandwidth: Bandwidth | undefined): EgressLimit | undefined {
  return bandwidth?.egressRate ? { rate: bandwidth.egressRate, burst: bandwidth.egressBurst } : undefined;
}

/** Maximum time that a packet waits before it is dropped. */
const latency = '25ms';
/** The kernel takes a burst of 32 bits; a runtime that states none means no limit of it. */
const largestBurstBytes = 2 ** 31 - 1;

/** A line for `tc -batch` that limits what leaves through a device. */
export function shapeDevice(device: string, rateBits: number, burstBits: number): string {
  const burst = Math.min(largestBurstBytes, Math.floor(burstBits / 8) || largestBurstBytes);
  return `qdisc add dev ${device} root tbf rate ${Math.floor(rateBits)}bit burst ${burst}b latency ${latency}`;
}

/** The table with a chain for each pod whose sending is limited: on the node's end of its cable, where no container gets to. */
export const limitTable = 'netdev coracle-cni';

/** A smaller burst could never pass: the kernel passes packets in units of 64 KiB. */
const smallestLimitBurst = 2 ** 17;

/** Statements of `nft` that drop what comes in through a device beyond a rate. */
export function limitDevice(device: string, { rate, burst }: EgressLimit): string {
  const bytes = Math.max(1, Math.floor(rate / 8));
  const burstBytes = Math.min(largestBurstBytes, Math.max(smallestLimitBurst, Math.floor(burst / 8)));
  return `add table ${limitTable}
add chain ${limitTable} ${device} { type filter hook ingress device "${device}" priority 0; }
flush chain ${limitTable} ${device}
add rule ${limitTable} ${device} limit rate over ${bytes} bytes/second burst ${burstBytes} bytes drop
`;
}

/** Restores lost limits of all attachments. Those without a device would fail the others with them. */
export function restoreLimits(
  leases: Pick<LeaseStore, 'owners' | 'attachment'>,
  { linkExists }: Pick<PluginHost, 'linkExists'>,
): string {
  return leases
    .owners()
    .flatMap((owner) => leases.attachment(owner) ?? [])
    .map(({ hostInterface, egressLimit }) =>
      egressLimit && linkExists(hostInterface) ? limitDevice(hostInterface, egressLimit) : '',
    )
    .join('');
}

export function unlimitDevice(device: string): string {
  return `flush chain ${limitTable} ${device}\ndelete chain ${limitTable} ${device}\n`;
}
