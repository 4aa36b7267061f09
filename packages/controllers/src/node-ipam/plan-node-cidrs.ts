import { cidrContains, formatCidr, type IpAddress, maskedCidr, parseCidr } from '@coracle/apimachinery';

/** A range of addresses for pods, and the mask size of node CIDRs. */
export interface ClusterRange {
  readonly cidr: string;
  readonly maskSize: number;
}

/** The default mask sizes of a node's CIDR: 254 pods with IPv4, 2^64 addresses with IPv6. */
export const usualMaskSize = { 4: 24, 6: 64 } as const;

/** Maximum number of node CIDRs in one range: 2^16. */
const mostNodeBits = 16;

/** Errors in the ranges, with the names of the flags. */
export function clusterRangeProblems(ranges: readonly ClusterRange[]): string[] {
  const parsed = ranges.map(({ cidr }) => parseCidr(cidr));
  const problems = ranges.flatMap(({ cidr, maskSize }, i) => {
    const range = parsed[i];
    if (!range) return [`cluster-cidr: ${JSON.stringify(cidr)} is no network`];
    const bits = range.address.bytes.length * 8;
    if (maskSize < range.prefixLength || maskSize > bits)
      return [`node-cidr-mask-size: /${maskSize} is no part of ${cidr}`];
    if (maskSize - range.prefixLength > mostNodeBits)
      return [`node-cidr-mask-size: ${cidr} has more than ${2 ** mostNodeBits} parts of size /${maskSize}`];
    return [];
  });
  const families = parsed.map((range) => range?.address.family);
  if (new Set(families).size < families.length) problems.push('cluster-cidr: at most one range of each family');
  return problems;
}

export interface FreeCidrs {
  /** One of each range. */
  readonly cidrs: readonly string[];
  /** The index of the CIDR of each range where the next search begins. */
  readonly next: readonly number[];
}

/**
 * One free part of each range, searched from the part after the last that was chosen: released ones are reused last,
 * when other nodes no longer have state about them. `taken` are the CIDRs of other nodes: a CIDR that overlaps one of
 * them is not free. `undefined` if a range is used up.
 */
export function freeCidrs(
  ranges: readonly ClusterRange[],
  taken: Iterable<string>,
  from: readonly number[] = [],
): FreeCidrs | undefined {
  const used = new Set(taken);
  const chosen = ranges.map((range, index) => nextFree(range, used, from[index] ?? 0));
  const found = chosen.filter((one) => one !== undefined);
  if (found.length < ranges.length) return undefined;
  return { cidrs: found.map(({ cidr }) => cidr), next: found.map(({ index }) => index + 1) };
}

function nextFree(
  { cidr, maskSize }: ClusterRange,
  used: ReadonlySet<string>,
  from: number,
): { readonly cidr: string; readonly index: number } | undefined {
  const range = parseCidr(cidr);
  if (!range) return undefined;
  const { address } = maskedCidr(range);
  // CIDRs of another size come from other sources, and are few.
  const odd = [...used].filter((text) => !text.endsWith(`/${maskSize}`)).map(parseCidr);
  const count = 2 ** (maskSize - range.prefixLength);
  for (let step = 0; step < count; step++) {
    const index = (from + step) % count;
    const part = { address: plus(address, index, maskSize), prefixLength: maskSize };
    const text = formatCidr(part);
    if (used.has(text)) continue;
    if (odd.some((other) => other && (cidrContains(other, part.address) || cidrContains(part, other.address))))
      continue;
    return { cidr: text, index };
  }
  return undefined;
}

/** The address of the `index`th part. */
function plus({ family, bytes }: IpAddress, index: number, maskSize: number): IpAddress {
  const sum = Uint8Array.from(bytes);
  for (let bit = 0; bit < 32 && index >> bit > 0; bit++) {
    const at = maskSize - 1 - bit;
    if ((index >> bit) & 1) sum[at >> 3] = (sum[at >> 3] as number) | (0x80 >> (at & 7));
  }
  return { family, bytes: sum };
}
