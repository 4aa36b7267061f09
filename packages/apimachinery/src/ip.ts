/** An address in its bytes: 4 of them, or 16. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bytes: Uint8Array;
}

export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** Reads an address. No zones, no leading zeros in IPv4; IPv4-mapped IPv6 addresses stay IPv6. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** Reads an address with the length of its prefix. Bits beyond the prefix may be set. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefixLength = Number(length);
  return prefixLength <= address.bytes.length * 8 ? { address, prefixLength } : undefined;
}

/** Whether `address` is in the network. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.address.family !== address.family) return false;
  return sameBits(cidr.address.bytes, address.bytes, cidr.prefixLength);
}

/** The network's first address, with all bits beyond the prefix cleared. */
export function maskedCidr({ address, prefixLength }: Cidr): Cidr {
  const bytes = address.bytes.map((byte, i) => byte & maskOfByte(i, prefixLength));
  return { address: { family: address.family, bytes }, prefixLength };
}

/** The canonical text: IPv6 in lower case with the longest run of zeros left out. */
export function formatIp({ family, bytes }: IpAddress): string {
  if (family === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[i * 2] as number) << 8) | (bytes[i * 2 + 1] as number));
  if (isMapped(bytes)) return `::ffff:${bytes.slice(12).join('.')}`;
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(':');
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`;
}

export function formatCidr({ address, prefixLength }: Cidr): string {
  return `${formatIp(address)}/${prefixLength}`;
}

/** True for `::ffff:1.2.3.4` and its like. */
export function isMapped(bytes: Uint8Array): boolean {
  return (
    bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  return { family: 4, bytes: Uint8Array.from(parts.map(Number)) };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] as string, halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] as string, true) : [];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return { family: 6, bytes: Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff])) };
}

/** The 16-bit groups of half an address; its end may be written as an IPv4 address. */
function groupsOf(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [i, part] of parts.entries()) {
    if (part.includes('.') && i === parts.length - 1 && mayEndInIpv4) {
      const ipv4 = parseIpv4(part)?.bytes;
      if (!ipv4) return undefined;
      groups.push(((ipv4[0] as number) << 8) | (ipv4[1] as number), ((ipv4[2] as number) << 8) | (ipv4[3] as number));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

function sameBits(a: Uint8Array, b: Uint8Array, count: number): boolean {
  for (let i = 0; i * 8 < count; i++) {
    const mask = maskOfByte(i, count);
    if (((a[i] as number) & mask) !== ((b[i] as number) & mask)) return false;
  }
  return true;
}

function maskOfByte(index: number, prefixLength: number): number {
  const bits = Math.min(8, Math.max(0, prefixLength - index * 8));
  return (0xff << (8 - bits)) & 0xff;
}
