import { AffinityGroups } from './affinity-groups.js';
import type { DomainCounts } from './domain-counts.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';

/** Selects the pods and nodes that are counted, by the value of a node label. */
export interface TallySpec {
  /** Equal for equivalent specs. */
  readonly name: string;
  readonly topologyKey: string;
  /** May depend on the node's labels and spec. Nodes without the label of the topology are never counted. */
  countsNode(node: NodeInfo): boolean;
  countsPod(pod: PodInfo): boolean;
}

class Tally implements DomainCounts {
  readonly spec: TallySpec;
  /** Includes domains without such pods. */
  readonly domains = new Map<string, number>();
  total = 0;
  readonly #nodes = new Map<string, number>();

  constructor(spec: TallySpec) {
    this.spec = spec;
  }

  get topologyKey(): string {
    return this.spec.topologyKey;
  }

  get isZero(): boolean {
    return this.total === 0;
  }

  countNode(node: NodeInfo, sign: 1 | -1): void {
    const domain = this.#domainOf(node);
    if (domain === undefined) return;
    const nodes = (this.#nodes.get(domain) ?? 0) + sign;
    let pods = 0;
    for (const pod of node.pods.values()) if (this.spec.countsPod(pod)) pods++;
    this.total += sign * pods;
    if (nodes > 0) {
      this.#nodes.set(domain, nodes);
      this.domains.set(domain, (this.domains.get(domain) ?? 0) + sign * pods);
    } else {
      this.#nodes.delete(domain);
      this.domains.delete(domain);
    }
  }

  countPod(node: NodeInfo, pod: PodInfo, sign: 1 | -1): void {
    if (!this.spec.countsPod(pod)) return;
    const domain = this.#domainOf(node);
    if (domain === undefined) return;
    this.total += sign;
    this.domains.set(domain, (this.domains.get(domain) ?? 0) + sign);
  }

  #domainOf(node: NodeInfo): string | undefined {
    const domain = node.labels[this.spec.topologyKey];
    return domain !== undefined && this.spec.countsNode(node) ? domain : undefined;
  }
}

/** Maximum number of tallies. Every change of a pod updates each of them, so the least recently used are dropped. */
const mostTallies = 128;

/**
 * Counts of the pods on all nodes for plugins, updated as pods are added and removed, so that no scheduling cycle has
 * to iterate over the nodes. Code that changes a node or its pods updates them, directly or through the cache.
 */
export class ClusterTallies {
  readonly #nodes = new Set<NodeInfo>();
  /** By name, least recently used first. */
  readonly #tallies = new Map<string, Tally>();
  readonly affinity = new AffinityGroups();
  /** Claims of volumes in use: how many pods use them, by `namespace/name`. */
  readonly #claims = new Map<string, number>();

  static of(nodes: readonly NodeInfo[]): ClusterTallies {
    const tallies = new ClusterTallies();
    for (const node of nodes) tallies.addNode(node);
    return tallies;
  }

  tally(spec: TallySpec): DomainCounts {
    const counted = this.#tallies.get(spec.name);
    if (counted) {
      this.#tallies.delete(spec.name);
      this.#tallies.set(spec.name, counted);
      return counted;
    }
    const tally = new Tally(spec);
    for (const node of this.#nodes) tally.countNode(node, 1);
    this.#tallies.set(spec.name, tally);
    if (this.#tallies.size > mostTallies) {
      const [oldest] = this.#tallies.keys();
      if (oldest !== undefined) this.#tallies.delete(oldest);
    }
    return tally;
  }

  isClaimUsed(namespace: string, name: string): boolean {
    return this.#claims.has(`${namespace}/${name}`);
  }

  /** With all its pods. */
  addNode(node: NodeInfo): void {
    this.#nodes.add(node);
    this.#countNode(node, 1);
  }

  removeNode(node: NodeInfo): void {
    this.#nodes.delete(node);
    this.#countNode(node, -1);
  }

  addPod(node: NodeInfo, pod: PodInfo): void {
    this.#countPod(node, pod, 1);
    for (const tally of this.#tallies.values()) tally.countPod(node, pod, 1);
  }

  removePod(node: NodeInfo, pod: PodInfo): void {
    this.#countPod(node, pod, -1);
    for (const tally of this.#tallies.values()) tally.countPod(node, pod, -1);
  }

  #countNode(node: NodeInfo, sign: 1 | -1): void {
    for (const pod of node.pods.values()) this.#countPod(node, pod, sign);
    for (const tally of this.#tallies.values()) tally.countNode(node, sign);
  }

  #countPod(node: NodeInfo, pod: PodInfo, sign: 1 | -1): void {
    this.affinity.count(node, pod, sign);
    for (const { persistentVolumeClaim } of pod.pod.spec?.volumes ?? []) {
      if (!persistentVolumeClaim) continue;
      const key = `${pod.namespace}/${persistentVolumeClaim.claimName}`;
      const count = (this.#claims.get(key) ?? 0) + sign;
      if (count > 0) this.#claims.set(key, count);
      else this.#claims.delete(key);
    }
  }
}
