import { isRecord, type JsonObject } from '@coracle/base';
import type { CniAddress, CniResult, CniRoute } from './result.js';
import { isAtLeast } from './versions.js';

/** The JSON object that a plugin prints for a configuration of this version. */
export function formatResult(result: CniResult, cniVersion: string): JsonObject {
  return isAtLeast(cniVersion, '0.3.0') ? withInterfaces(result, cniVersion) : withOneAddressEach(result, cniVersion);
}

function withInterfaces({ interfaces, ips = [], routes, dns }: CniResult, cniVersion: string): JsonObject {
  const named = isAtLeast(cniVersion, '1.0.0')
    ? ips
    : ips.map((ip) => ({ version: ip.address.includes(':') ? '6' : '4', ...ip }));
  return asJson({ cniVersion, interfaces, ips: named, routes, dns: dns ?? {} });
}

/** Versions 0.1.0 and 0.2.0 have one address of each family, and no interfaces. */
function withOneAddressEach({ ips = [], routes = [], dns }: CniResult, cniVersion: string): JsonObject {
  const family = (six: boolean) => {
    const ip = ips.find(({ address }) => address.includes(':') === six);
    if (!ip) return undefined;
    const own = routes.filter(({ dst }) => dst.includes(':') === six);
    return { ip: ip.address, gateway: ip.gateway, routes: own.map(({ dst, gw }) => ({ dst, gw })) };
  };
  return asJson({ cniVersion, ip4: family(false), ip6: family(true), dns: dns ?? {} });
}

/** Leaves out what is undefined. */
function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** The addresses and routes of a result in the form of 0.1.0 and 0.2.0. */
export function fromOneAddressEach(result: JsonObject): { ips: CniAddress[]; routes: CniRoute[] } {
  const ips: CniAddress[] = [];
  const routes: CniRoute[] = [];
  for (const part of [result['ip4'], result['ip6']]) {
    if (!isRecord(part) || typeof part['ip'] !== 'string') continue;
    const gateway = part['gateway'];
    ips.push({ address: part['ip'], ...(typeof gateway === 'string' && { gateway }) });
    for (const route of Array.isArray(part['routes']) ? part['routes'] : []) {
      if (!isRecord(route) || typeof route['dst'] !== 'string') continue;
      const gw = route['gw'];
      routes.push({ dst: route['dst'], ...(typeof gw === 'string' && { gw }) });
    }
  }
  return { ips, routes };
}
