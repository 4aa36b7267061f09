import type { Node } from '@coracle/api';
import { cidrContains, parseCidr } from '@coracle/apimachinery';
import type { Counter, Gauge, Histogram, Metrics } from '@coracle/base';
import type { ClusterRange } from './plan-node-cidrs.js';

const labelNames = ['clusterCIDR'];

/** Metrics of node CIDRs, under the names of kube-controller-manager (one of which has a typo). */
export class CidrMetrics {
  readonly #ranges: readonly ClusterRange[];
  /** By range: the CIDRs of nodes. */
  readonly #taken: ReadonlyMap<string, Set<string>>;
  readonly #allocations: Counter;
  readonly #releases: Counter;
  readonly #usage: Gauge;
  readonly #tries: Histogram;

  constructor(metrics: Metrics, ranges: readonly ClusterRange[]) {
    const named = (name: string, help: string) => ({ name: `node_ipam_controller_${name}`, help, labels: labelNames });
    this.#ranges = ranges;
    this.#taken = new Map(ranges.map(({ cidr }) => [cidr, new Set()]));
    this.#allocations = metrics.counter(
      named('cidrset_cidrs_allocations_total', 'Counter measuring total number of CIDR allocations.'),
    );
    this.#releases = metrics.counter(
      named('cidrset_cidrs_releases_total', 'Counter measuring total number of CIDR releases.'),
    );
    this.#usage = metrics.gauge(named('cidrset_usage_cidrs', 'Gauge measuring percentage of allocated CIDRs.'));
    this.#tries = metrics.histogram({
      ...named('cidrset_allocation_tries_per_request', 'Number of CIDRs tried before one that was free'),
      buckets: [1, 5, 25, 125, 625],
    });
    const most = metrics.gauge(named('cirdset_max_cidrs', 'Maximum number of CIDRs that can be allocated.'));
    for (const range of ranges) most.set(partsOf(range), { clusterCIDR: range.cidr });
  }

  /** A node has these CIDRs, from this controller or another source. */
  occupied(cidrs: readonly string[]): void {
    this.#change(cidrs, (taken, cidr) => !taken.has(cidr) && !!taken.add(cidr), this.#allocations);
  }

  /** The node of these CIDRs was deleted. */
  released(cidrs: readonly string[]): void {
    this.#change(cidrs, (taken, cidr) => taken.delete(cidr), this.#releases);
  }

  /** CIDRs were selected: the first free one of each range. They count as allocated once the node shows them. */
  chosen(cidrs: readonly string[]): void {
    for (const cidr of cidrs) {
      const range = this.#rangeOf(cidr);
      if (range) this.#tries.observe(indexIn(range, cidr), { clusterCIDR: range.cidr });
    }
  }

  #change(cidrs: readonly string[], apply: (taken: Set<string>, cidr: string) => boolean, counter: Counter): void {
    for (const cidr of cidrs) {
      const range = this.#rangeOf(cidr);
      const taken = range && this.#taken.get(range.cidr);
      if (!taken || !apply(taken, cidr)) continue;
      const labels = { clusterCIDR: range.cidr };
      counter.add(1, labels);
      this.#usage.set(taken.size / partsOf(range), labels);
    }
  }

  #rangeOf(cidr: string): ClusterRange | undefined {
    const part = parseCidr(cidr);
    if (!part) return undefined;
    return this.#ranges.find((range) => {
      const whole = parseCidr(range.cidr);
      return whole && whole.address.family === part.address.family && cidrContains(whole, part.address);
    });
  }
}

export function cidrsOf({ spec }: Node): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
}

function partsOf({ cidr, maskSize }: ClusterRange): number {
  return 2 ** (maskSize - (parseCidr(cidr)?.prefixLength ?? maskSize));
}

/** Number of CIDRs of the range before this one. */
function indexIn({ cidr, maskSize }: ClusterRange, part: string): number {
  const { address, prefixLength } = parseCidr(part) ?? {};
  const whole = parseCidr(cidr);
  if (!address || !whole || prefixLength !== maskSize) return 0;
  let index = 0;
  for (let bit = whole.prefixLength; bit < maskSize; bit++)
    index = index * 2 + (((address.bytes[bit >> 3] as number) >> (7 - (bit & 7))) & 1);
  return index;
}
