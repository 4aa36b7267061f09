import {
  type Cidr,
  type FieldError,
  type FieldPath,
  formatCidr,
  formatIp,
  type IpAddress,
  invalidField,
  isMapped,
  maskedCidr,
  parseCidr,
  parseIp,
  scoped,
} from '@coracle/apimachinery';

const notAnIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const notACidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** One way to write an address: no leading zeros, no IPv4 address written as IPv6. */
export function checkIp(path: FieldPath, value: string): FieldError[] {
  const address = parseIp(value);
  if (!address) {
    const readable = parseIp(withoutLeadingZeros(value)) !== undefined;
    return [invalidField(path, value, readable ? 'must not have leading 0s' : notAnIp)];
  }
  if (isMapped(address.bytes)) return [invalidField(path, value, 'must not be an IPv4-mapped IPv6 address')];
  return [];
}

/**
 * As `checkIp`, for fields that accepted more in older releases: unchanged values are accepted, and any parseable value
 * while strict validation is disabled.
 */
export function checkLegacyIp(path: FieldPath, value: string): FieldError[] {
  return legacy(checkIp(path, value), value, parseIp(withoutLeadingZeros(value)) !== undefined);
}

/** As `checkCidr`, for fields that took more in older releases. */
export function checkLegacyCidr(path: FieldPath, value: string): FieldError[] {
  return legacy(checkCidr(path, value), value, parseCidr(withoutLeadingZeros(value)) !== undefined);
}

function legacy(errors: readonly FieldError[], value: string, isReadable: boolean): FieldError[] {
  const newRule = `how to write ${value}`;
  return scoped(errors, isReadable ? { newRule, whileOn: 'StrictIPCIDRValidation' } : { newRule });
}

/** Some programs parse `010.0.0.1` as decimal and some as octal, so it is rejected. */
function withoutLeadingZeros(value: string): string {
  return value.replace(/(^|[./])0+(?=\d)/g, '$1');
}

/** What is wrong with the name of an object that stands for an address: it must have the one canonical form. */
export function canonicalIpProblems(value: string): string[] {
  const address = parseIp(value);
  if (!address) return [notAnIp];
  if (isMapped(address.bytes)) return ['must not be an IPv4-mapped IPv6 address'];
  const canonical = formatIp(address);
  return canonical === value ? [] : [`must be in canonical form ("${canonical}")`];
}

/** An address range, by its first address. */
export function checkCidr(path: FieldPath, value: string): FieldError[] {
  const cidr = parseCidr(value);
  if (!cidr) {
    const readable = parseCidr(withoutLeadingZeros(value)) !== undefined;
    return [invalidField(path, value, readable ? 'must not have leading 0s in IP or prefix length' : notACidr)];
  }
  if (isMapped(cidr.address.bytes)) {
    return [invalidField(path, value, 'must not have an IPv4-mapped IPv6 address')];
  }
  if (formatCidr(maskedCidr(cidr)) === formatCidr(cidr)) return [];
  return [invalidField(path, value, 'must not have bits set beyond the prefix length')];
}

/** An address of an interface with the length of its network's prefix, in the one canonical form. */
export function checkInterfaceAddress(path: FieldPath, value: string): FieldError[] {
  const cidr = parseCidr(value) ?? parseCidr(withoutLeadingZeros(value));
  if (!cidr) {
    const detail = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
    return [invalidField(path, value, detail)];
  }
  const canonical = formatCidr(unmapped(cidr));
  return canonical === value ? [] : [invalidField(path, value, `must be in canonical form ("${canonical}")`)];
}

/** An IPv4 address that is written as IPv6 is still one. */
function unmapped(cidr: Cidr): Cidr {
  const { address, prefixLength } = cidr;
  if (!isMapped(address.bytes) || prefixLength < 96) return cidr;
  return { address: { family: 4, bytes: address.bytes.slice(12) }, prefixLength: prefixLength - 96 };
}

/** Addresses that no endpoint or node can have: traffic to them would never leave the machine or never arrive. */
export function checkNonSpecialIp(path: FieldPath, value: string): FieldError[] {
  const address = parseIp(value);
  if (!address) return [invalidField(path, value, 'must be a valid IP address')];
  if (address.bytes.every((byte) => byte === 0))
    return [invalidField(path, value, `may not be unspecified (${value})`)];
  return specialRanges.filter(({ is }) => is(address)).map(({ problem }) => invalidField(path, value, problem));
}

const specialRanges: readonly { readonly is: (address: IpAddress) => boolean; readonly problem: string }[] = [
  { is: isLoopback, problem: 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
  { is: isLinkLocalUnicast, problem: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)' },
  { is: isLinkLocalMulticast, problem: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)' },
];

function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
}

function isLinkLocalUnicast({ family, bytes }: IpAddress): boolean {
  const [first = 0, second = 0] = bytes;
  return family === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isLinkLocalMulticast({ family, bytes }: IpAddress): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  return family === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2;
}
