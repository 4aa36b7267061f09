import type { Container, Pod } from '@coracle/api';

/** NUMA nodes that have a resource, and whether the allocation is preferred. */
export interface TopologyHint {
  /** `undefined` for any. */
  readonly nodes: readonly number[] | undefined;
  readonly preferred: boolean;
}

/** Hints by resource; `undefined` for any NUMA node, empty if nothing fits. */
export type Hints = readonly (readonly TopologyHint[] | undefined)[];

/** A part of the kubelet that allocates resources with NUMA affinity. */
export interface HintProvider {
  /** NUMA hints for each resource that the container requests, on a machine with these NUMA nodes. */
  hints(pod: Pod, container: Container, allNodes: readonly number[]): Hints;
  /**
   * Allocates the missing resources of the container, preferably from these NUMA nodes. Throws if that is not possible.
   */
  allocate(pod: Pod, container: Container, nodes: readonly number[] | undefined): Promise<void>;
}

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

export interface TopologyVerdict {
  /** The NUMA nodes for all resources; `undefined` for any. */
  readonly nodes: readonly number[] | undefined;
  readonly admitted: boolean;
}

/** The merged hint for all resources of a container or a pod, and whether the policy admits it. */
export function mergeHints(policy: TopologyPolicy, allNodes: readonly number[], hints: Hints): TopologyVerdict {
  if (policy === 'none') return { nodes: undefined, admitted: true };
  const lists = hints.map((list) => list ?? [{ nodes: undefined, preferred: true }]);
  const chosen = lists.map((list) => (list.length === 0 ? [{ nodes: undefined, preferred: false }] : list));
  const allowed = policy === 'single-numa-node' ? chosen.map((list) => list.filter(isSingle)) : chosen;
  const best = combinations(allowed, allNodes).reduce<TopologyHint | undefined>(
    (found, hint) => (found === undefined || isBetter(hint, found) ? hint : found),
    undefined,
  );
  const { nodes, preferred } = best ?? { nodes: undefined, preferred: false };
  const isEverywhere = nodes?.length === allNodes.length;
  return { nodes: isEverywhere ? undefined : nodes, admitted: policy === 'best-effort' || preferred };
}

function isSingle({ nodes, preferred }: TopologyHint): boolean {
  return preferred && (nodes === undefined || nodes.length === 1);
}

/** The intersections of one hint of each list, without empty ones. */
function combinations(lists: Hints, allNodes: readonly number[]): TopologyHint[] {
  return lists.reduce<TopologyHint[]>(
    (met, list = []) =>
      met.flatMap((one) =>
        list.flatMap((other) => {
          const nodes = (one.nodes ?? allNodes).filter((node) => (other.nodes ?? allNodes).includes(node));
          return nodes.length > 0 ? [{ nodes, preferred: one.preferred && other.preferred }] : [];
        }),
      ),
    [{ nodes: allNodes, preferred: true }],
  );
}

/** Preferred hints first, then those with fewer nodes, then those with lower node numbers. */
function isBetter(a: TopologyHint, b: TopologyHint): boolean {
  if (a.preferred !== b.preferred) return a.preferred;
  const [first, second] = [a.nodes ?? [], b.nodes ?? []];
  if (first.length !== second.length) return first.length < second.length;
  return maskOf(first) < maskOf(second);
}

function maskOf(nodes: readonly number[]): number {
  return nodes.reduce((mask, node) => mask + 2 ** node, 0);
}

/** Every set of NUMA nodes, smallest first. Machines have few NUMA nodes. */
export function choicesOf(nodes: readonly number[]): number[][] {
  const all: number[][] = [[]];
  for (const node of nodes) all.push(...all.map((set) => [...set, node]));
  return all.filter((set) => set.length > 0).sort((a, b) => a.length - b.length || maskOf(a) - maskOf(b));
}

/** Hints for an amount: sets with enough free resources. A set is preferred if no smaller one has enough capacity. */
export function hintsFor(
  count: number,
  nodes: readonly number[],
  amounts: {
    readonly total: (nodes: readonly number[]) => number;
    readonly free: (nodes: readonly number[]) => number;
  },
): TopologyHint[] {
  const choices = choicesOf(nodes);
  const smallest = choices.find((choice) => amounts.total(choice) >= count)?.length;
  return choices
    .filter((choice) => amounts.free(choice) >= count)
    .map((choice) => ({ nodes: choice, preferred: choice.length === smallest }));
}
