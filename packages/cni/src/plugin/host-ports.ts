import { parseIp } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { CniError, cniErrorCodes } from '../cni-error.js';

/** A port of the node that leads to a port of the pod. */
export interface HostPort {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  readonly hostPort: number;
  readonly containerPort: number;
  /** One address of the node; all of them if empty. */
  readonly hostIp: string;
}

/** Parses the capability `portMappings`. Entries without a host port are ignored. */
export function hostPortsOf(value: unknown): HostPort[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((one) => isRecord(one) && one['hostPort'] !== undefined && one['hostPort'] !== 0)
    .map((one) => hostPortOf(one as Record<string, unknown>));
}

function hostPortOf(value: Record<string, unknown>): HostPort {
  const { hostPort, containerPort, protocol = 'tcp', hostIP = '' } = value;
  const name = String(protocol).toLowerCase();
  if (name !== 'tcp' && name !== 'udp' && name !== 'sctp') throw invalid(`unknown protocol ${protocol}`);
  if (!isPort(hostPort) || !isPort(containerPort)) throw invalid('a port is not between 1 and 65535');
  if (hostIP !== '' && (typeof hostIP !== 'string' || !parseIp(hostIP))) throw invalid(`invalid hostIP ${hostIP}`);
  const any = hostIP === '0.0.0.0' || hostIP === '::';
  return { protocol: name, hostPort, containerPort, hostIp: any ? '' : String(hostIP) };
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function invalid(message: string): CniError {
  return new CniError(cniErrorCodes.invalidNetworkConfig, `invalid portMappings: ${message}`);
}

/** The elements of the host port maps, by map. */
export function hostPortElements(ports: readonly HostPort[], addresses: readonly string[]): HostPortElement[] {
  return ports.flatMap(({ protocol, hostPort, containerPort, hostIp }) =>
    addresses
      .filter((address) => !hostIp || hostIp.includes(':') === address.includes(':'))
      .map((address) => ({
        map: `${hostIp ? 'host-ip-ports' : 'host-ports'}-${address.includes(':') ? 6 : 4}`,
        key: `${hostIp ? `${hostIp} . ` : ''}${protocol} . ${hostPort}`,
        value: `${address} . ${containerPort}`,
      })),
  );
}

export interface HostPortElement {
  readonly map: string;
  readonly key: string;
  readonly value: string;
}
