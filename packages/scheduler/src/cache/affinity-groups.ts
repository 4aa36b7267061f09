import type { DomainCounts } from './domain-counts.js';
import type { NodeInfo } from './node-info.js';
import type { AffinityTerm, PodInfo } from './pod-info.js';

/**
 * Kind of a term: required affinity or anti-affinity, or the weight of a preferred term (negative: anti-affinity).
 */
export type AffinityKind = 'requiredAffinity' | 'requiredAntiAffinity' | 'preferred';

/** A term of existing pods, with the topology domains of these pods. */
export interface AffinityGroup extends DomainCounts {
  readonly term: AffinityTerm;
}

class Group implements AffinityGroup {
  readonly term: AffinityTerm;
  readonly domains = new Map<string, number>();
  total = 0;
  pods = 0;

  constructor(term: AffinityTerm) {
    this.term = term;
  }

  get topologyKey(): string {
    return this.term.topologyKey;
  }

  get isZero(): boolean {
    return this.domains.size === 0;
  }

  count(node: NodeInfo, weight: number): void {
    const domain = node.labels[this.term.topologyKey];
    if (domain === undefined) return;
    this.total += weight;
    const sum = (this.domains.get(domain) ?? 0) + weight;
    if (sum === 0) this.domains.delete(domain);
    else this.domains.set(domain, sum);
  }
}

type Groups = Map<string, Group>;

/**
 * The affinity terms of all pods. Pods of one template have equal terms: these are one group, however many pods there
 * are.
 */
export class AffinityGroups {
  readonly #groups: Readonly<Record<AffinityKind, Groups>> = {
    requiredAffinity: new Map(),
    requiredAntiAffinity: new Map(),
    preferred: new Map(),
  };

  of(kind: AffinityKind): Iterable<AffinityGroup> {
    return this.#groups[kind].values();
  }

  count(node: NodeInfo, pod: PodInfo, sign: 1 | -1): void {
    for (const term of pod.requiredAffinity) this.#count('requiredAffinity', term, { node, sign, weight: 1 });
    for (const term of pod.requiredAntiAffinity) this.#count('requiredAntiAffinity', term, { node, sign, weight: 1 });
    for (const { term, weight } of pod.preferredAffinity) this.#count('preferred', term, { node, sign, weight });
    for (const { term, weight } of pod.preferredAntiAffinity)
      this.#count('preferred', term, { node, sign, weight: -weight });
  }

  #count(
    kind: AffinityKind,
    term: AffinityTerm,
    { node, sign, weight }: { readonly node: NodeInfo; readonly sign: 1 | -1; readonly weight: number },
  ): void {
    const groups = this.#groups[kind];
    let group = groups.get(term.name);
    if (!group) {
      group = new Group(term);
      groups.set(term.name, group);
    }
    group.pods += sign;
    group.count(node, sign * weight);
    if (group.pods === 0) groups.delete(term.name);
  }
}
