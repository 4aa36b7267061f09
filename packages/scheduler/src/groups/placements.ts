import type { NodeInfo } from '../cache/node-info.js';
import { type PodGroup, topologyKeyOf } from './pod-groups.js';

/** Nodes that the pods of a group may be placed on together. */
export interface GroupPlacement {
  /** The value of the label; empty for the whole cluster. */
  readonly name: string;
  readonly nodes: readonly NodeInfo[];
}

/**
 * The domains that may take the whole group: those of its topology constraint, or all nodes as one. Where pods of the
 * group run already, the others join them. Throws if these are in no domain, or in several.
 */
export function placementsFor(
  group: PodGroup | undefined,
  nodes: readonly NodeInfo[],
  nodesOfGroup: readonly string[],
): GroupPlacement[] {
  const key = topologyKeyOf(group);
  if (key === undefined) return [{ name: '', nodes }];
  const required = domainOf(key, nodes, new Set(nodesOfGroup));
  const domains = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const name = node.labels[key];
    if (name === undefined || (required !== undefined && name !== required)) continue;
    const domain = domains.get(name);
    if (domain) domain.push(node);
    else domains.set(name, [node]);
  }
  return [...domains].map(([name, members]) => ({ name, nodes: members }));
}

function domainOf(key: string, nodes: readonly NodeInfo[], names: ReadonlySet<string>): string | undefined {
  const prefix = 'cannot determine domain for already scheduled pods';
  let found: string | undefined;
  for (const { name, labels } of nodes) {
    if (!names.has(name)) continue;
    const domain = labels[key];
    if (domain === undefined) throw new Error(`${prefix}: node ${name} has no label ${key}`);
    if (found !== undefined && found !== domain)
      throw new Error(`${prefix}: more than 1 domain found for pod group: ${found}, ${domain}`);
    found = domain;
  }
  return found;
}

/** A placement with the pods of the group in it. */
export interface PlacementFill {
  /** How many pods of the group it holds. */
  readonly pods: number;
  /** How full its nodes are, in percent. */
  readonly allocated: number;
}

/** Must be called while the pods of the group are assumed to be there. */
export function fillOf({ nodes }: GroupPlacement, pods: number): PlacementFill {
  const share = (amount: (node: NodeInfo) => readonly [requested: number, allocatable: number]) => {
    let requested = 0;
    let allocatable = 0;
    for (const node of nodes) {
      const [used, total] = amount(node);
      requested += used;
      allocatable += total;
    }
    return allocatable === 0 ? 0 : Math.min(100, Math.trunc((requested * 100) / allocatable));
  };
  const cpu = share(({ requested, allocatable }) => [requested.milliCpu, allocatable.milliCpu]);
  const memory = share(({ requested, allocatable }) => [requested.memory, allocatable.memory]);
  return { pods, allocated: Math.trunc((cpu + memory) / 2) };
}

/** The placement that holds most pods and is filled best, each of which counts alike; the first among equals. */
export function bestPlacement(fills: readonly PlacementFill[]): number {
  const most = Math.max(1, ...fills.map(({ pods }) => pods));
  const scores = fills.map(({ pods, allocated }) => Math.trunc((pods * 100) / most) + allocated);
  return scores.indexOf(Math.max(...scores));
}
