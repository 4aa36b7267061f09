import { parseCidr, parseIp } from '@coracle/apimachinery';
import { isRecord, type JsonObject, type JsonValue } from '@coracle/base';
import { CniError, cniErrorCodes } from './cni-error.js';
import type { CniAddress, CniDns, CniInterface, CniResult, CniRoute } from './result.js';
import { fromOneAddressEach } from './result-versions.js';
import { isAtLeast, versionOf } from './versions.js';

/** Maximum length of a list in the result of a plugin. */
const mostEntries = 1024;

/**
 * Parses the output of a plugin. It is another program's, so any deviation from the specification is rejected, with the
 * name of the field.
 */
export function parseResult(value: unknown): CniResult {
  if (!isRecord(value)) throw refused('result is not a JSON object');
  const version = versionOf(value);
  const dns = dnsOf(value['dns']);
  if (!isAtLeast(version, '0.3.0')) {
    const { ips, routes } = fromOneAddressEach(value as JsonObject);
    return { ips: ips.map(checkedAddress), routes: routes.map(checkedRoute), ...(dns && { dns }) };
  }
  const interfaces = listOf(value['interfaces'], 'interfaces').map(interfaceOf);
  const ips = listOf(value['ips'], 'ips').map((one) => addressOf(one, interfaces.length));
  const routes = listOf(value['routes'], 'routes').map(routeOf);
  return { interfaces, ips, routes, ...(dns && { dns }) };
}

function listOf(value: JsonValue | unknown, field: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw refused(`${field} is not a list`);
  if (value.length > mostEntries) throw refused(`${field} has more than ${mostEntries} entries`);
  return value;
}

function interfaceOf(value: unknown): CniInterface {
  if (!isRecord(value) || typeof value['name'] !== 'string') throw refused('interfaces: an entry has no name');
  const { name, mac, mtu, sandbox, socketPath, pciID } = value;
  return {
    name,
    ...(typeof mac === 'string' && { mac }),
    ...(typeof mtu === 'number' && { mtu }),
    ...(typeof sandbox === 'string' && { sandbox }),
    ...(typeof socketPath === 'string' && { socketPath }),
    ...(typeof pciID === 'string' && { pciID }),
  };
}

function addressOf(value: unknown, interfaces: number): CniAddress {
  if (!isRecord(value) || typeof value['address'] !== 'string') throw refused('ips: an entry has no address');
  const { address, gateway, interface: index } = value;
  if (index !== undefined && index !== null) {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= interfaces)
      throw refused(`ips: interface ${JSON.stringify(index)} is not in the list of interfaces`);
  }
  return checkedAddress({
    address,
    ...(typeof gateway === 'string' && gateway !== '' && { gateway }),
    ...(typeof index === 'number' && { interface: index }),
  });
}

function checkedAddress(ip: CniAddress): CniAddress {
  if (!parseCidr(ip.address)) throw refused(`ips: invalid CIDR address: ${ip.address}`);
  if (ip.gateway !== undefined && !parseIp(ip.gateway)) throw refused(`ips: invalid gateway: ${ip.gateway}`);
  return ip;
}

function routeOf(value: unknown): CniRoute {
  if (!isRecord(value) || typeof value['dst'] !== 'string') throw refused('routes: an entry has no dst');
  const { dst, gw, ...rest } = value;
  const numbers = Object.fromEntries(Object.entries(rest).filter(([, one]) => typeof one === 'number'));
  return checkedRoute({ dst, ...(typeof gw === 'string' && gw !== '' && { gw }), ...numbers });
}

function checkedRoute(route: CniRoute): CniRoute {
  if (!parseCidr(route.dst)) throw refused(`routes: invalid CIDR address: ${route.dst}`);
  if (route.gw !== undefined && !parseIp(route.gw)) throw refused(`routes: invalid gateway: ${route.gw}`);
  return route;
}

function dnsOf(value: unknown): CniDns | undefined {
  if (!isRecord(value)) return undefined;
  const { domain } = value;
  const texts = (field: 'nameservers' | 'search' | 'options') => {
    const list = listOf(value[field], `dns.${field}`).filter((one): one is string => typeof one === 'string');
    return list.length > 0 ? { [field]: list } : {};
  };
  const dns = {
    ...texts('nameservers'),
    ...(typeof domain === 'string' && domain && { domain }),
    ...texts('search'),
    ...texts('options'),
  };
  return Object.keys(dns).length > 0 ? dns : undefined;
}

function refused(message: string): CniError {
  return new CniError(cniErrorCodes.decodingFailure, `invalid plugin result: ${message}`);
}
