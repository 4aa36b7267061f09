import { networkInterfaces } from 'node:os';
import { cidrContains, parseCidr, parseIp } from '@coracle/apimachinery';
import type { ExtraListener } from '@coracle/platform-nodejs';

/** Addresses on which other machines and pods do not reach a server. */
const loopback = /^(?:127\.|::1$|localhost$)/;

export interface PodListenerOptions {
  /** Listening address of the server. */
  readonly host: string;
  /** The address of the endpoint of the service `kubernetes`, where pods reach it. */
  readonly advertised: string | undefined;
  /** Ranges of pods of real nodes; none without such nodes. */
  readonly podCidrs: readonly string[];
}

/**
 * Makes an API server that listens on loopback reachable for pods, at the address that it advertises. Only pods and
 * programs of this machine are accepted; other machines are rejected.
 */
export function podListener({ host, advertised, podCidrs }: PodListenerOptions): ExtraListener | undefined {
  if (podCidrs.length === 0 || advertised === undefined || !loopback.test(host) || loopback.test(advertised))
    return undefined;
  const ranges = podCidrs.map(parseCidr).filter((cidr) => cidr !== undefined);
  const accepts = (remoteAddress: string) => {
    // A socket of both families shows IPv4 as `::ffff:10.0.0.1`.
    const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
    const ip = parseIp(address);
    return ip !== undefined && (ranges.some((range) => cidrContains(range, ip)) || isOwn(address));
  };
  return { host: advertised, accepts };
}

/** Interfaces change, so each connection is checked with the current ones. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
