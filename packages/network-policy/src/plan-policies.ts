import type { networkingv1, Pod } from '@coracle/api';
import { allowsDns, dnsProtocols } from './cluster-dns.js';
import type { Direction, PolicyRule, PolicyWorld } from './policy-world.js';
import { addressesOfPod, hasOwnAddress, isAbout, isPeer, namedPort, rulesOf, selects } from './policy-world.js';

type NetworkPolicy = networkingv1.NetworkPolicy;

export type Family = 4 | 6;

/** The rules of the packet filter for the pods of one node. */
export interface PolicyPlan {
  /** Chain → its rules. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Set → its type and elements. */
  readonly sets: ReadonlyMap<string, PolicySet>;
  /** Map → address of a pod → chain. */
  readonly maps: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface PolicySet {
  readonly type: string;
  readonly elements: ReadonlySet<string>;
}

const families: readonly Family[] = [4, 6];

/**
 * Computes the rules for the pods of a node. A policy is a chain for each direction, with a set of addresses for the
 * pods that a rule selects. Pods that the same policies isolate share a chain that goes through these and ends in a
 * drop.
 */
export function planPolicies(
  world: PolicyWorld,
  { nodeName, dnsPort }: { readonly nodeName: string; readonly dnsPort: number },
): PolicyPlan {
  const plan = new PlanBuilder(world, dnsPort);
  const own = world.pods.filter((pod) => pod.spec?.nodeName === nodeName && hasOwnAddress(pod));
  for (const direction of ['ingress', 'egress'] as const) {
    const policies = world.policies.filter((policy) => isAbout(policy, direction));
    for (const pod of own) {
      const isolating = policies.filter((policy) => selects(policy, pod));
      if (isolating.length > 0) plan.isolate(pod, direction, isolating);
    }
  }
  return plan;
}

class PlanBuilder implements PolicyPlan {
  readonly chains = new Map<string, string[]>();
  readonly sets = new Map<string, { type: string; elements: Set<string> }>();
  readonly maps = new Map<string, Map<string, string>>();
  readonly #world: PolicyWorld;
  readonly #pods: readonly Pod[];

  readonly #dnsPort: number;

  constructor(world: PolicyWorld, dnsPort: number) {
    this.#world = world;
    this.#dnsPort = dnsPort;
    this.#pods = world.pods.filter(hasOwnAddress);
    for (const direction of ['ingress', 'egress'])
      for (const family of families) this.maps.set(`${direction}-${family}`, new Map());
  }

  isolate(pod: Pod, direction: Direction, policies: readonly NetworkPolicy[]): void {
    const names = policies.map((policy) => this.#policy(policy, direction)).sort();
    const chain = `pods-${direction}-${hash(names.join())}`;
    if (!this.chains.has(chain)) this.chains.set(chain, [...names.map((name) => `jump ${name}`), 'drop']);
    for (const address of addressesOfPod(pod)) this.maps.get(`${direction}-${familyOf(address)}`)?.set(address, chain);
  }

  #policy(policy: NetworkPolicy, direction: Direction): string {
    const { namespace = '', name = '' } = policy.metadata;
    const chain = `${direction}-${hash(`${namespace}/${name}`)}`;
    if (this.chains.has(chain)) return chain;
    const rules: string[] = [];
    this.chains.set(chain, rules);
    for (const [index, rule] of rulesOf(policy, direction).entries())
      for (const family of families)
        rules.push(...this.#rule(`${chain}-${index}-${family}`, { policy, rule, direction, family }));
    if (direction === 'egress') rules.push(...this.#dnsRules(policy));
    return chain;
  }

  /** The cluster's DNS is served by the node, on another port than clients use: access to it is computed here. */
  #dnsRules(policy: NetworkPolicy): string[] {
    return dnsProtocols
      .filter((protocol) => allowsDns(policy, protocol, this.#world))
      .map((protocol) => `fib daddr type local ${protocol.toLowerCase()} dport ${this.#dnsPort} accept`);
  }

  #rule(name: string, context: RuleContext): string[] {
    const matches = this.#peers(name, context);
    const ports = this.#ports(name, context);
    return matches.flatMap((match) => ports.map((port) => `${match} ${port} accept`.replace(/\s+/g, ' ').trim()));
  }

  /** One match for all pods that are meant, and one for each block of addresses. */
  #peers(name: string, { policy, rule, direction, family }: RuleContext): string[] {
    const word = family === 4 ? 'ip' : 'ip6';
    const field = `${word} ${direction === 'ingress' ? 'saddr' : 'daddr'}`;
    if (rule.peers.length === 0) return [`meta nfproto ${family === 4 ? 'ipv4' : 'ipv6'}`];
    const blocks = rule.peers.flatMap(({ ipBlock }) => {
      if (!ipBlock || familyOf(ipBlock.cidr) !== family) return [];
      const except = (ipBlock.except ?? []).filter((cidr) => familyOf(cidr) === family);
      return [`${field} ${ipBlock.cidr}${except.length > 0 ? ` ${field} != { ${except.join(', ')} }` : ''}`];
    });
    const selectors = rule.peers.filter(({ ipBlock }) => !ipBlock);
    if (selectors.length === 0) return blocks;
    const namespace = policy.metadata.namespace ?? '';
    const selectedPods = this.#pods.filter((pod) =>
      selectors.some((peer) => isPeer(peer, pod, { namespace, world: this.#world })),
    );
    this.#set(
      name,
      family === 4 ? 'ipv4_addr' : 'ipv6_addr',
      selectedPods.flatMap(addressesOfPod).filter((one) => familyOf(one) === family),
    );
    return [`${field} @${name}`, ...blocks];
  }

  #ports(name: string, { policy, rule, direction, family }: RuleContext): string[] {
    if (rule.ports.length === 0) return [''];
    const word = family === 4 ? 'ip' : 'ip6';
    return rule.ports.map(({ port, endPort, protocol = 'TCP' }, i) => {
      const l4 = protocol.toLowerCase();
      if (port === undefined) return `meta l4proto ${l4}`;
      if (typeof port === 'number') return `${l4} dport ${endPort === undefined ? port : `${port}-${endPort}`}`;
      // A name means another number on each pod that has it.
      const servers = direction === 'ingress' ? this.#pods.filter((pod) => selects(policy, pod)) : this.#pods;
      const elements = servers.flatMap((pod) => {
        const number = namedPort(pod, port, protocol);
        if (number === undefined) return [];
        return addressesOfPod(pod)
          .filter((one) => familyOf(one) === family)
          .map((address) => `${address} . ${l4} . ${number}`);
      });
      this.#set(
        `${name}-port${i}`,
        `${family === 4 ? 'ipv4_addr' : 'ipv6_addr'} . inet_proto . inet_service`,
        elements,
      );
      return `${word} daddr . meta l4proto . th dport @${name}-port${i}`;
    });
  }

  #set(name: string, type: string, elements: readonly string[]): void {
    this.sets.set(name, { type, elements: new Set(elements) });
  }
}

interface RuleContext {
  readonly policy: NetworkPolicy;
  readonly rule: PolicyRule;
  readonly direction: Direction;
  readonly family: Family;
}

function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** Names of objects are too long for names of chains; these are practically unique. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
