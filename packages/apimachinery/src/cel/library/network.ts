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
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { boolType, type CelType, intType, opaqueType, stringType } from '../values/cel-type.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { quoteText } from '../values/format-value.js';
import { addressProblem } from './address-problem.js';

const ipType = opaqueType('net.IP');
const cidrType = opaqueType('net.CIDR');

class CelIp extends CelOpaque {
  readonly type: CelType = ipType;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  override get size(): number {
    return this.address.bytes.length;
  }

  equals(other: CelOpaque): boolean {
    return String(this) === String(other);
  }

  override toString(): string {
    return formatIp(this.address);
  }
}

class CelCidr extends CelOpaque {
  readonly type: CelType = cidrType;
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }

  override get size(): number {
    return Math.ceil(this.cidr.prefixLength / 8);
  }

  equals(other: CelOpaque): boolean {
    return String(this) === String(other);
  }

  override toString(): string {
    return formatCidr(this.cidr);
  }
}

const loopback = ['127.0.0.0/8', '::1/128'];
const linkLocalUnicast = ['169.254.0.0/16', 'fe80::/10'];
const multicast = ['224.0.0.0/4', 'ff00::/8'];
const broadcast = ['255.255.255.255/32'];

function isUnspecified({ bytes }: IpAddress): boolean {
  return bytes.every((byte) => byte === 0);
}

function isGlobalUnicast(address: IpAddress): boolean {
  if (isUnspecified(address)) return false;
  return ![loopback, linkLocalUnicast, multicast, broadcast].some((networks) => inAny(address, networks));
}

/** Of IPv6, those of the scope of the link, whatever their flags. */
function isLinkLocalMulticast(address: IpAddress): boolean {
  const [first, second = 0] = address.bytes;
  return address.family === 4 ? inAny(address, ['224.0.0.0/24']) : first === 0xff && (second & 0x0f) === 2;
}

function inAny(address: IpAddress, networks: readonly string[]): boolean {
  return networks.some((network) => cidrContains(parseCidr(network) as Cidr, address));
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);
}

/** Expressions take no IPv4 address that is written as an IPv6 one, and no zones. */
function accepted(text: string): IpAddress | undefined {
  const address = parseIp(text);
  return address && !isMapped(address.bytes) ? address : undefined;
}

function readIp(text: string): CelIp {
  const address = accepted(text);
  return address ? new CelIp(address) : fail(ipProblem(text));
}

function ipProblem(text: string): string {
  if (parseIp(text)) return mapped(text);
  if (hasZone(text)) return `IP address ${quoteText(text)} with zone value is not allowed`;
  return `IP Address ${quoteText(text)} parse error during conversion from string: ${parseProblem(text)}`;
}

function mapped(text: string): string {
  return `IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`;
}

/** An IPv6 address in a zone: `fe80::1%eth0`. */
function hasZone(text: string): boolean {
  const address = parseIp(/^(.*?)%./s.exec(text)?.[1] ?? '');
  return address?.family === 6;
}

function parseProblem(text: string): string {
  return `ParseAddr(${quoteText(text)}): ${addressProblem(text)}`;
}

function readCidr(text: string): CelCidr {
  const cidr = parseCidr(text);
  const what = 'network address parse error during conversion from string';
  if (!cidr) return fail(`${what}: ${what}: netip.ParsePrefix(${quoteText(text)}): ${cidrProblem(text)}`);
  return isMapped(cidr.address.bytes) ? fail(`${what}: ${mapped(text)}`) : new CelCidr(cidr);
}

function cidrProblem(text: string): string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const address = text.slice(0, slash);
  if (hasZone(address)) return 'IPv6 zones cannot be present in a prefix';
  if (!parseIp(address)) return parseProblem(address);
  if (!/^(\d|[1-9]\d*)$/.test(text.slice(slash + 1)))
    return `bad bits after slash: ${quoteText(text.slice(slash + 1))}`;
  return 'prefix length out of range';
}

function test(name: string, check: (address: IpAddress) => boolean): FunctionDeclaration {
  const id = `ip_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  return declare(
    name,
    member(signature(id, [ipType], boolType), ({ address }: CelIp) => check(address)),
  );
}

const ipFunctions = [
  declare(
    'ip',
    global(signature('string_to_ip', [stringType], ipType), readIp),
    member(signature('cidr_ip', [cidrType], ipType), ({ cidr }: CelCidr) => new CelIp(cidr.address)),
  ),
  declare(
    'isIP',
    global(signature('is_ip', [stringType], boolType), (text: string) => accepted(text) !== undefined),
  ),
  declare(
    'ip.isCanonical',
    global(signature('ip_is_canonical', [stringType], boolType), (text: string) => String(readIp(text)) === text),
  ),
  declare(
    'family',
    member(signature('ip_family', [ipType], intType), ({ address }: CelIp) => BigInt(address.family)),
  ),
  test('isUnspecified', isUnspecified),
  test('isLoopback', (address) => inAny(address, loopback)),
  test('isLinkLocalMulticast', isLinkLocalMulticast),
  test('isLinkLocalUnicast', (address) => inAny(address, linkLocalUnicast)),
  test('isGlobalUnicast', isGlobalUnicast),
];

const cidrFunctions = [
  declare('cidr', global(signature('string_to_cidr', [stringType], cidrType), readCidr)),
  declare(
    'isCIDR',
    global(signature('is_cidr', [stringType], boolType), (text: string) => {
      const cidr = parseCidr(text);
      return cidr !== undefined && !isMapped(cidr.address.bytes);
    }),
  ),
  declare(
    'containsIP',
    member(signature('cidr_contains_ip_string', [cidrType, stringType], boolType), ({ cidr }: CelCidr, text: string) =>
      cidrContains(cidr, accepted(text) ?? fail('no such overload')),
    ),
    member(signature('cidr_contains_ip_ip', [cidrType, ipType], boolType), ({ cidr }: CelCidr, { address }: CelIp) =>
      cidrContains(cidr, address),
    ),
  ),
  declare(
    'containsCIDR',
    member(
      signature('cidr_contains_cidr_string', [cidrType, stringType], boolType),
      ({ cidr }: CelCidr, text: string) => containsCidr(cidr, readCidr(text).cidr),
    ),
    member(signature('cidr_contains_cidr', [cidrType, cidrType], boolType), (x: CelCidr, y: CelCidr) =>
      containsCidr(x.cidr, y.cidr),
    ),
  ),
  declare(
    'masked',
    member(signature('cidr_masked', [cidrType], cidrType), ({ cidr }: CelCidr) => new CelCidr(maskedCidr(cidr))),
  ),
  declare(
    'prefixLength',
    member(signature('cidr_prefix_length', [cidrType], intType), ({ cidr }: CelCidr) => BigInt(cidr.prefixLength)),
  ),
  declare(
    'string',
    global(signature('ip_to_string', [ipType], stringType), (ip: CelIp) => String(ip)),
    global(signature('cidr_to_string', [cidrType], stringType), (cidr: CelCidr) => String(cidr)),
  ),
];

export const networkFunctions: readonly FunctionDeclaration[] = [...ipFunctions, ...cidrFunctions];
export const networkTypes: readonly CelType[] = [ipType, cidrType];
