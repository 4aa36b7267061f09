import { formatIp, type IpAddress, parseCidr, parseIp } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';

/** Addresses for load balancers: networks (`192.0.2.0/28`) and ranges (`192.0.2.10-192.0.2.20`). */
export type AddressPool = readonly AddressRange[];

interface AddressRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** Parses a pool; throws for anything that is neither a network nor a range. */
export function parseAddressPool(texts: readonly string[]): AddressPool {
  return texts.map((text) => {
    const range = text.includes('-') ? parseRange(text) : parseNetwork(text);
    if (!range) throw new Error(`${JSON.stringify(text)} is neither a network nor a range of addresses`);
    return range;
  });
}

/** The error in a pool, if there is one. */
export function addressPoolProblem(texts: readonly string[]): string | undefined {
  try {
    parseAddressPool(texts);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function parseRange(text: string): AddressRange | undefined {
  const [first, last] = text.split('-').map((part) => parseIp(part.trim()));
  if (!first || !last || first.family !== last.family || compare(first, last) > 0) return undefined;
  return { first, last };
}

/** All addresses of a network except the first and the last, which are reserved in IPv4. */
function parseNetwork(text: string): AddressRange | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return undefined;
  const bits = cidr.address.bytes.length * 8;
  const size = 1n << BigInt(bits - cidr.prefixLength);
  const base = (numberOf(cidr.address) / size) * size;
  const isSmall = size <= 2n;
  const at = (value: bigint): IpAddress => ipOf(value, cidr.address.family);
  return { first: at(isSmall ? base : base + 1n), last: at(base + size - (isSmall ? 1n : 2n)) };
}

export function poolContains(pool: AddressPool, text: string): boolean {
  const address = parseIp(text);
  return (
    address !== undefined &&
    pool.some(
      ({ first, last }) =>
        first.family === address.family && compare(first, address) <= 0 && compare(address, last) <= 0,
    )
  );
}

/** The first free address of a family. */
export function freeAddress(
  pool: AddressPool,
  family: IpAddress['family'],
  taken: ReadonlySet<string>,
): string | undefined {
  for (const { first, last } of pool) {
    if (first.family !== family) continue;
    const end = numberOf(last);
    // At least one of this many addresses is free.
    const most = numberOf(first) + BigInt(taken.size);
    for (let value = numberOf(first); value <= end && value <= most; value++) {
      const text = formatIp(ipOf(value, family));
      if (!taken.has(text)) return text;
    }
  }
  return undefined;
}

function numberOf({ bytes }: IpAddress): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function ipOf(value: bigint, family: IpAddress['family']): IpAddress {
  const bytes = new Uint8Array(family === 4 ? 4 : 16);
  for (let index = bytes.length - 1, rest = value; index >= 0; index--, rest >>= 8n) bytes[index] = Number(rest & 255n);
  return { family, bytes };
}

function compare(a: IpAddress, b: IpAddress): number {
  const difference = numberOf(a) - numberOf(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
