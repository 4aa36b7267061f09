import { type Environment, EvaluationError } from '@marcbachmann/cel-js';
import {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  isMapped,
  maskedCidr,
  parseCidr,
  parseIp,
} from '../../ip.js';

const ipType = 'net.IP';
const cidrType = 'net.CIDR';

class CelIp {
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    this.address = address;
  }

  toString(): string {
    return formatIp(this.address);
  }
}

class CelCidr {
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    this.cidr = cidr;
  }

  toString(): string {
    return formatCidr(this.cidr);
  }
}

/** `ip("10.0.0.1").family()`, `cidr("10.0.0.0/8").containsIP("10.0.0.1")`. */
export function registerNetwork(environment: Environment): void {
  class IpNamespace {}
  environment
    .registerType(ipType, CelIp)
    .registerType(cidrType, CelCidr)
    .registerType('IpNamespace', IpNamespace)
    .registerConstant('ip', 'IpNamespace', new IpNamespace());
  registerIps(environment);
  registerCidrs(environment);
}

function registerIps(environment: Environment): void {
  environment
    .registerFunction(`ip(string): ${ipType}`, readIp)
    .registerFunction('isIP(string): bool', (text: string) => accepted(text) !== undefined)
    .registerFunction(
      'IpNamespace.isCanonical(string): bool',
      (_: unknown, text: string) => readIp(text).toString() === text,
    )
    .registerFunction(`string(${ipType}): string`, String)
    .registerFunction(`${ipType}.family(): int`, ({ address }: CelIp) => BigInt(address.family))
    .registerFunction(`${ipType}.isUnspecified(): bool`, ({ address }: CelIp) =>
      address.bytes.every((byte) => byte === 0),
    )
    .registerFunction(`${ipType}.isLoopback(): bool`, ({ address }: CelIp) => inAny(address, loopback))
    .registerFunction(`${ipType}.isLinkLocalMulticast(): bool`, ({ address }: CelIp) =>
      inAny(address, linkLocalMulticast),
    )
    .registerFunction(`${ipType}.isLinkLocalUnicast(): bool`, ({ address }: CelIp) => inAny(address, linkLocalUnicast))
    .registerFunction(`${ipType}.isGlobalUnicast(): bool`, ({ address }: CelIp) => isGlobalUnicast(address))
    .registerOperator(`${ipType} == ${ipType}`, (a: CelIp, b: CelIp) => String(a) === String(b));
}

function registerCidrs(environment: Environment): void {
  environment
    .registerFunction(`cidr(string): ${cidrType}`, readCidr)
    .registerFunction('isCIDR(string): bool', (text: string) => parseCidr(text) !== undefined)
    .registerFunction(`string(${cidrType}): string`, String)
    .registerFunction(`${cidrType}.containsIP(string): bool`, ({ cidr }: CelCidr, text: string) =>
      cidrContains(cidr, readIp(text).address),
    )
    .registerFunction(`${cidrType}.containsIP(${ipType}): bool`, ({ cidr }: CelCidr, { address }: CelIp) =>
      cidrContains(cidr, address),
    )
    .registerFunction(`${cidrType}.containsCIDR(string): bool`, ({ cidr }: CelCidr, text: string) =>
      containsCidr(cidr, readCidr(text).cidr),
    )
    .registerFunction(`${cidrType}.containsCIDR(${cidrType}): bool`, (a: CelCidr, b: CelCidr) =>
      containsCidr(a.cidr, b.cidr),
    )
    .registerFunction(`${cidrType}.ip(): ${ipType}`, ({ cidr }: CelCidr) => new CelIp(cidr.address))
    .registerFunction(`${cidrType}.prefixLength(): int`, ({ cidr }: CelCidr) => BigInt(cidr.prefixLength))
    .registerFunction(`${cidrType}.masked(): ${cidrType}`, ({ cidr }: CelCidr) => new CelCidr(maskedCidr(cidr)))
    .registerOperator(`${cidrType} == ${cidrType}`, (a: CelCidr, b: CelCidr) => String(a) === String(b));
}

const loopback = ['127.0.0.0/8', '::1/128'];
const linkLocalMulticast = ['224.0.0.0/24', 'ff02::/16'];
const linkLocalUnicast = ['169.254.0.0/16', 'fe80::/10'];
const multicast = ['224.0.0.0/4', 'ff00::/8'];
const broadcast = ['255.255.255.255/32'];

function isGlobalUnicast(address: IpAddress): boolean {
  if (address.bytes.every((byte) => byte === 0)) return false;
  return ![loopback, linkLocalUnicast, multicast, broadcast].some((networks) => inAny(address, networks));
}

function inAny(address: IpAddress, networks: readonly string[]): boolean {
  return networks.some((network) => cidrContains(parseCidr(network) as Cidr, address));
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);
}

/** Expressions take no IPv4 address in the clothes of IPv6. */
function accepted(text: string): IpAddress | undefined {
  const address = parseIp(text);
  return address && !isMapped(address.bytes) ? address : undefined;
}

function readIp(text: string): CelIp {
  const address = accepted(text);
  if (!address)
    throw new EvaluationError(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  return new CelIp(address);
}

function readCidr(text: string): CelCidr {
  const cidr = parseCidr(text);
  if (!cidr)
    throw new EvaluationError(`network address parse error during conversion from string: ${JSON.stringify(text)}`);
  return new CelCidr(cidr);
}
