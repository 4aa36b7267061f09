import { parseCidr } from '@coracle/apimachinery';
import { isRecord, type JsonObject } from '@coracle/base';
import { CniError, cniErrorCodes } from '../cni-error.js';
import type { CniDns, CniRoute } from '../result.js';
import { type AddressRange, parseRange, type RangeConfig } from './address-range.js';
import { type Bandwidth, bandwidthOf } from './bandwidth.js';
import { type HostPort, hostPortsOf } from './host-ports.js';

/** The configuration of the bridge plugin. The names of fields are those of the reference plugins where these have them. */
export interface BridgeConfig {
  readonly network: string;
  readonly bridge: string;
  readonly mtu: number;
  /** One address of each. */
  readonly ranges: readonly AddressRange[];
  /** Beside the default route of each family. */
  readonly routes: readonly CniRoute[];
  readonly dns: CniDns | undefined;
  /** The directory of leases. */
  readonly dataDir: string;
  /** What pods send outside of these networks leaves with the node's address; `undefined` for no masquerade at all. */
  readonly masqueradeExcept: readonly string[] | undefined;
  readonly hostPorts: readonly HostPort[];
  readonly bandwidth: Bandwidth | undefined;
}

export function parseBridgeConfig(config: JsonObject): BridgeConfig {
  const ipam = recordOf(config['ipam']);
  const runtime = recordOf(asGoReads(config['runtimeConfig']));
  const mtu = config['mtu'] ?? 0;
  if (typeof mtu !== 'number' || !Number.isInteger(mtu) || mtu < 0 || mtu > 65_535)
    throw invalid(`invalid mtu ${JSON.stringify(mtu)}`);
  const dns = recordOf(runtime['dns'] ?? config['dns']);
  return {
    network: String(config['name']),
    bridge: bridgeOf(config['bridge']),
    mtu,
    ranges: rangesOf(runtime['ipRanges'] ?? ipam['ranges'], ipam),
    routes: routesOf(ipam['routes']),
    dns: Object.keys(dns).length > 0 ? dnsOf(dns) : undefined,
    dataDir: typeof ipam['dataDir'] === 'string' ? ipam['dataDir'] : '/var/lib/cni/networks',
    masqueradeExcept: config['ipMasq'] === true ? networksOf(config['ipMasqExcept']) : undefined,
    hostPorts: hostPortsOf(runtime['portMappings']),
    bandwidth: bandwidthOf(runtime['bandwidth'] ?? config['bandwidth']),
  };
}

function bridgeOf(value: unknown): string {
  if (value === undefined || value === '') return 'cni0';
  if (typeof value === 'string' && /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,14}$/.test(value)) return value;
  throw invalid(`invalid bridge name ${JSON.stringify(value)}`);
}

/** A list of range sets, or one range right in `ipam`. Of a set the first range is used. */
function rangesOf(value: unknown, ipam: Record<string, unknown>): AddressRange[] {
  const sets = Array.isArray(value) ? value : ipam['subnet'] === undefined ? [] : [[ipam]];
  const ranges = sets.map((set) => parseRange(recordOf(Array.isArray(set) ? set[0] : set) as RangeConfig));
  if (ranges.length === 0) throw invalid('ipam has no ranges');
  for (const family of [4, 6])
    if (ranges.filter((range) => range.family === family).length > 1)
      throw invalid(`ipam has more than one IPv${family} range`);
  return ranges;
}

function routesOf(value: unknown): CniRoute[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid('ipam.routes is not a list');
  return value.map((route) => {
    const { dst, gw } = recordOf(route);
    if (typeof dst !== 'string' || !parseCidr(dst)) throw invalid(`invalid route ${JSON.stringify(dst)}`);
    return { dst, ...(typeof gw === 'string' && { gw }) };
  });
}

function networksOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string' && !!parseCidr(one)))
    return value;
  throw invalid('ipMasqExcept is not a list of networks');
}

/** The capability has `servers` and `searches` where results have `nameservers` and `search`. */
function dnsOf(value: Record<string, unknown>): CniDns {
  const texts = (field: unknown) => (Array.isArray(field) ? field.filter((one) => typeof one === 'string') : undefined);
  const nameservers = texts(value['nameservers'] ?? value['servers']);
  const search = texts(value['search'] ?? value['searches']);
  const options = texts(value['options']);
  return {
    ...(nameservers && { nameservers }),
    ...(typeof value['domain'] === 'string' && { domain: value['domain'] }),
    ...(search && { search }),
    ...(options && { options }),
  };
}

/** containerd writes `HostPort` where the conventions have `hostPort`: plugins in Go read either. */
function asGoReads(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asGoReads);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [
    key.charAt(0).toLowerCase() + key.slice(1),
    asGoReads(one),
  ]);
  return Object.fromEntries(entries);
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function invalid(message: string): CniError {
  return new CniError(cniErrorCodes.invalidNetworkConfig, message);
}
