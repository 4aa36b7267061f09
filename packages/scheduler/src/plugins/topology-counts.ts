import type { DomainCounts } from '../cache/domain-counts.js';
import type { NodeInfo } from '../cache/node-info.js';

interface KeyCounts {
  /** Counts that all cycles share. Not changed here. */
  readonly shared: { readonly domains: ReadonlyMap<string, number>; readonly factor: number }[];
  /** Changes of the counts in this attempt. */
  readonly changes: Map<string, number>;
}

/** Counts by topology domain, for example zone a or host b. A node without the label is in no domain. */
export class TopologyCounts {
  /** By topology key. */
  readonly #counts = new Map<string, KeyCounts>();
  #total = 0;

  /** Whether all counts are zero; for counts that are never negative. */
  get isEmpty(): boolean {
    return this.#total === 0;
  }

  /** Whether no pod was counted. */
  get isUntouched(): boolean {
    return this.#counts.size === 0;
  }

  /** Adds the counts of another table, `factor` times, in constant time. */
  include({ topologyKey, domains, total, isZero }: DomainCounts, factor = 1): void {
    if (isZero) return;
    this.#of(topologyKey).shared.push({ domains, factor });
    this.#total += total * factor;
  }

  add(node: NodeInfo, topologyKey: string, amount: number): void {
    const value = node.labels[topologyKey];
    if (value === undefined) return;
    const { changes } = this.#of(topologyKey);
    changes.set(value, (changes.get(value) ?? 0) + amount);
    this.#total += amount;
  }

  at(node: NodeInfo, topologyKey: string): number {
    const counts = this.#counts.get(topologyKey);
    return counts ? countAt(counts, node.labels[topologyKey]) : 0;
  }

  anyAt({ labels }: NodeInfo): boolean {
    for (const [key, counts] of this.#counts) if (countAt(counts, labels[key]) > 0) return true;
    return false;
  }

  sumAt({ labels }: NodeInfo): number {
    let sum = 0;
    for (const [key, counts] of this.#counts) sum += countAt(counts, labels[key]);
    return sum;
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts();
    for (const [key, { shared, changes }] of this.#counts) copy.#counts.set(key, { shared, changes: new Map(changes) });
    copy.#total = this.#total;
    return copy;
  }

  #of(topologyKey: string): KeyCounts {
    let counts = this.#counts.get(topologyKey);
    if (!counts) {
      counts = { shared: [], changes: new Map() };
      this.#counts.set(topologyKey, counts);
    }
    return counts;
  }
}

function countAt({ shared, changes }: KeyCounts, value: string | undefined): number {
  if (value === undefined) return 0;
  let sum = changes.size > 0 ? (changes.get(value) ?? 0) : 0;
  for (const { domains, factor } of shared) sum += (domains.get(value) ?? 0) * factor;
  return sum;
}
