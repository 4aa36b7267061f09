import type { Container, Pod } from '@coracle/api';

/** NUMA nodes that have a resource, and whether the allocation is preferred. */
export interface TopologyHint {
  /** `undefined` for any. */
  readonly nodes: readonly number[] | undefined;
  readonly preferred: boolean;
}

/** By resource; `undefined` if it does not matter, empty if nothing fits. */
export type Hints = readonly (readonly TopologyHint[] | undefined)[];

/** A part of the kubelet that allocates resources near to some NUMA nodes. */
export interface HintProvider {
  /** Where each resource that the container requests could come from, on a machine with these NUMA nodes. */
  hints(pod: Pod, container: Container, allNodes: readonly number[]): Hints;
  /**
   * Allocates to the container what it requests and does not have, from these NUMA nodes first. Throws why that cannot
   * be.
   */
  allocate(pod: Pod, container: Container, nodes: readonly number[] | undefined): Promise<void>;
}

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

export interface TopologyVerdict {
  /** Where everything should come from; `undefined` for anywhere. */
  readonly nodes: readonly number[] | undefined;
  readonly admitted: boolean;
}

/** Where all resources of a container, or of a pod, come from together, and whether that is good enough. */
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

/** One hint of each list, met where all of them can be. Those that meet nowhere are left out. */
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

/** What is preferred comes first, then what takes fewer nodes, then the lower ones. */
function isBetter(a: TopologyHint, b: TopologyHint): boolean {
  if (a.preferred !== b.preferred) return a.preferred;
  const [first, second] = [a.nodes ?? [], b.nodes ?? []];
  if (first.length !== second.length) return first.length < second.length;
  return maskOf(first) < maskOf(second);
}

function maskOf(nodes: readonly number[]): number {
  return nodes.reduce((mask, node) => mask + 2 ** node, 0);
}

/** Every choice of NUMA nodes, the smallest first. Machines have few of them. */
export function choicesOf(nodes: readonly number[]): number[][] {
  const all: number[][] = [[]];
  for (const node of nodes) all.push(...all.map((set) => [...set, node]));
  return all.filter((set) => set.length > 0).sort((a, b) => a.length - b.length || maskOf(a) - maskOf(b));
}

/** Hints for an amount: where that much is free, preferring choices no larger than the machine makes necessary. */
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
