import type { NodeInfo } from '../cache/node-info.js';

/** Numbers by topology: how many in zone a, how many on host b. A node without the label belongs to no topology. */
export class TopologyCounts {
  /** Topology key → value → number. Zeros are taken out. */
  readonly #counts = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(node: NodeInfo, topologyKey: string, amount: number): void {
    const value = node.labels[topologyKey];
    if (value === undefined) return;
    const values = this.#counts.get(topologyKey) ?? new Map<string, number>();
    const sum = (values.get(value) ?? 0) + amount;
    if (sum === 0) values.delete(value);
    else values.set(value, sum);
    if (values.size === 0) this.#counts.delete(topologyKey);
    else this.#counts.set(topologyKey, values);
  }

  at(node: NodeInfo, topologyKey: string): number {
    const value = node.labels[topologyKey];
    return value === undefined ? 0 : (this.#counts.get(topologyKey)?.get(value) ?? 0);
  }

  anyAt(node: NodeInfo): boolean {
    for (const key of this.#counts.keys()) if (this.at(node, key) > 0) return true;
    return false;
  }

  sumAt(node: NodeInfo): number {
    let sum = 0;
    for (const key of this.#counts.keys()) sum += this.at(node, key);
    return sum;
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts();
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values));
    return copy;
  }
}
