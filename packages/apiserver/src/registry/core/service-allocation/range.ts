import {
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  maskedCidr,
  parseCidr,
  parseIp,
} from '@coracle/apimachinery';
import { type Random, randomInt } from '@coracle/base';
import type { IpFamily } from '../service-allocation.js';

/** A numbered range of values that services get: addresses or ports. */
export interface Range<T> {
  readonly size: number;
  /** Size of the lower band, which dynamic allocation uses last: it is kept for static allocation. */
  readonly staticBand: number;
  at(offset: number): T;
  /** Whether it may be allocated. */
  holds(item: T): boolean;
}

export interface AddressRange extends Range<string> {
  readonly family: IpFamily;
  /** In text form: `10.96.0.0/16`. */
  readonly text: string;
  /** The address of the network, which is never allocated. */
  readonly base: string;
  /** Whether it is in the network, including the network and broadcast addresses. */
  covers(address: string): boolean;
}

/** Maximum number of addresses that are considered, because IPv6 networks are too large. */
const largestSize = 2 ** 40;

/** The addresses of a network but its first and, in IPv4, its last. */
export function addressRange(text: string): AddressRange | undefined {
  const parsed = parseCidr(text);
  if (!parsed) return undefined;
  const cidr = maskedCidr(parsed);
  const { family, bytes } = cidr.address;
  const total = 2 ** Math.min(bytes.length * 8 - cidr.prefixLength, 41);
  const size = Math.max(0, Math.min(largestSize, family === 4 ? total - 2 : total - 1));
  const inside = (address: string) => {
    const ip = parseIp(address);
    return ip && cidrContains(cidr, ip) ? ip : undefined;
  };
  return {
    family: family === 4 ? 'IPv4' : 'IPv6',
    text: formatCidr(cidr),
    base: formatIp(cidr.address),
    size,
    staticBand: bandOf(total, { smallest: 16, share: 16, largest: 256 }),
    at: (offset) => formatIp(plus(cidr.address, offset + 1)),
    covers: (address) => inside(address) !== undefined,
    holds: (address) => {
      const ip = inside(address);
      if (!ip || address === formatIp(cidr.address)) return false;
      return family === 6 || formatIp(ip) !== formatIp(plus(cidr.address, total - 1));
    },
  };
}

export interface PortRange extends Range<number> {
  /** In stored form: `30000-32767`. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** Parses `30000-32767`, `30000+2767`, or one port. */
export function portRange(text: string): PortRange | undefined {
  const match = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim());
  if (!match) return undefined;
  const first = Number(match[1]);
  const end = match[3] === undefined ? first : Number(match[3]);
  const last = match[2] === '+' ? first + end : end;
  if (last < first || last > 65_535) return undefined;
  const size = last - first + 1;
  return {
    text: `${first}-${last}`,
    first,
    last,
    size,
    staticBand: bandOf(size, { smallest: 16, share: 32, largest: 128 }),
    at: (offset) => first + offset,
    holds: (port) => port >= first && port <= last,
  };
}

/** All offsets: those above the static band from a random one on, then those in the band. */
export function* offsetsOf({ size, staticBand }: Range<unknown>, random: Random): Generator<number> {
  yield* turnOf(staticBand, size, random);
  yield* turnOf(0, Math.min(staticBand, size), random);
}

function* turnOf(from: number, to: number, random: Random): Generator<number> {
  const count = to - from;
  if (count <= 0) return;
  const start = randomInt(random, count);
  for (let i = 0; i < count; i++) yield from + ((start + i) % count);
}

function bandOf(
  size: number,
  { smallest, share, largest }: { readonly smallest: number; readonly share: number; readonly largest: number },
): number {
  if (size < smallest) return 0;
  return Math.min(largest, Math.max(smallest, Math.floor(size / share)));
}

function plus({ family, bytes }: IpAddress, count: number): IpAddress {
  const sum = Uint8Array.from(bytes);
  let carry = count;
  for (let i = sum.length - 1; i >= 0 && carry > 0; i--) {
    carry += sum[i] as number;
    sum[i] = carry % 256;
    carry = Math.floor(carry / 256);
  }
  return { family, bytes: sum };
}
