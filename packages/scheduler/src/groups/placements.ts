import type { NodeInfo } from '../cache/node-info.js';
import { type PodGroup, topologyKeyOf } from './pod-groups.js';

/** Nodes that the pods of a group may be placed on together. */
export interface GroupPlacement {
  /** The value of the label; empty for the whole cluster. */
  readonly name: string;
  readonly nodes: readonly NodeInfo[];
}

/**
 * The topology domains that may take the whole group; all nodes as one domain without a topology constraint. If pods of
 * the group already run, the others must join their domain. Throws if these are in no domain, or in several.
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

/** A placement with the pods of the group assigned. */
export interface PlacementFill {
  /** Number of pods of the group that it holds. */
  readonly pods: number;
  /** Utilization of its nodes in percent. */
  readonly allocated: number;
}

/** Call it while the pods of the group are assumed on their nodes. */
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

/**
 * The placement with the best sum of scheduled pods and utilization, which have equal weight; the first of equal ones.
 */
export function bestPlacement(fills: readonly PlacementFill[]): number {
  const most = Math.max(1, ...fills.map(({ pods }) => pods));
  const scores = fills.map(({ pods, allocated }) => Math.trunc((pods * 100) / most) + allocated);
  return scores.indexOf(Math.max(...scores));
}
