import { isRecord } from '@coracle/base';
import { CniError, cniErrorCodes } from '../cni-error.js';

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

/** How long a packet may wait for its turn before it is dropped. */
const latency = '25ms';
/** The kernel takes a burst of 32 bits; a runtime that states none means no limit of it. */
const largestBurstBytes = 2 ** 31 - 1;

/** A line for `tc -batch` that limits what leaves through a device. */
export function shapeDevice(device: string, rateBits: number, burstBits: number): string {
  const burst = Math.min(largestBurstBytes, Math.floor(burstBits / 8) || largestBurstBytes);
  return `qdisc add dev ${device} root tbf rate ${Math.floor(rateBits)}bit burst ${burst}b latency ${latency}`;
}
