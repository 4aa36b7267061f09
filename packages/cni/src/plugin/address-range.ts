import { cidrContains, formatIp, type IpAddress, maskedCidr, parseCidr, parseIp } from '@coracle/apimachinery';
import { CniError, cniErrorCodes } from '../cni-error.js';

/** Addresses that pods get, of one network. Start and end are included. */
export interface AddressRange {
  readonly family: 4 | 6;
  /** In the form `10.244.1.0/24`. */
  readonly subnet: string;
  readonly prefixLength: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly gateway: string;
}

export interface RangeConfig {
  readonly subnet?: unknown;
  readonly rangeStart?: unknown;
  readonly rangeEnd?: unknown;
  readonly gateway?: unknown;
}

/**
 * The gateway is the first address of the network unless stated; the network and broadcast addresses are never
 * allocated.
 */
export function parseRange(config: RangeConfig): AddressRange {
  const cidr = typeof config.subnet === 'string' ? parseCidr(config.subnet) : undefined;
  if (!cidr) throw invalid(`invalid subnet ${JSON.stringify(config.subnet)}`);
  const { address, prefixLength } = maskedCidr(cidr);
  const { family } = address;
  const bits = family === 4 ? 32 : 128;
  if (bits - prefixLength < 2) throw invalid(`subnet ${config.subnet} is too small to allocate from`);
  const first = toBigInt(address);
  const last = first + (1n << BigInt(bits - prefixLength)) - 1n;
  const within = (value: unknown, field: string): bigint | undefined => {
    if (value === undefined || value === '') return undefined;
    const ip = typeof value === 'string' ? parseIp(value) : undefined;
    if (!ip || !cidrContains(cidr, ip)) throw invalid(`${field} ${JSON.stringify(value)} is not in ${config.subnet}`);
    return toBigInt(ip);
  };
  const start = within(config.rangeStart, 'rangeStart') ?? first + 1n;
  const end = within(config.rangeEnd, 'rangeEnd') ?? (family === 4 ? last - 1n : last);
  if (start > end) throw invalid(`rangeStart ${config.rangeStart} is after rangeEnd ${config.rangeEnd}`);
  const gateway = formatIp(fromBigInt(within(config.gateway, 'gateway') ?? first + 1n, family));
  const subnet = `${formatIp(address)}/${prefixLength}`;
  return { family, subnet, prefixLength, start, end, gateway };
}

/** The addresses of the range in the order in which they are tried: those after `last` first, then from the start. */
export function* candidates(range: AddressRange, last: string | undefined): Generator<string> {
  const { start, end, family, gateway } = range;
  const parsed = last === undefined ? undefined : parseIp(last);
  const after = parsed?.family === family ? toBigInt(parsed) : undefined;
  const first = after !== undefined && after >= start && after < end ? after + 1n : start;
  const count = end - start + 1n;
  for (let i = 0n; i < count; i++) {
    const at = first + i;
    const address = formatIp(fromBigInt(at > end ? at - count : at, family));
    if (address !== gateway) yield address;
  }
}

function toBigInt({ bytes }: IpAddress): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function fromBigInt(value: bigint, family: 4 | 6): IpAddress {
  const bytes = new Uint8Array(family === 4 ? 4 : 16);
  for (let i = bytes.length - 1, rest = value; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  return { family, bytes };
}

function invalid(message: string): CniError {
  return new CniError(cniErrorCodes.invalidNetworkConfig, message);
}
