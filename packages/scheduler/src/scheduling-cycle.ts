import type { ClusterTallies } from './cache/cluster-tallies.js';
import type { NodeInfo } from './cache/node-info.js';
import type { PodInfo } from './cache/pod-info.js';
import type { FitFailure } from './fit-error.js';
import { CycleState } from './framework/cycle-state.js';
import { atPoint, type PointStatus, statusOfVerdict } from './framework/measuring.js';
import type { FilterPlugin } from './framework/plugin.js';
import { isSampledNode, type Profile } from './framework/profile.js';
import { fits, unschedulableAndUnresolvable, type Verdict } from './framework/verdict.js';
import { memoOf, NodeMemo, type PodShape, type Refusal, shapeOf } from './node-memo.js';
import { highest, scoreNodes } from './score-nodes.js';

export type Placement =
  | {
      readonly kind: 'placed';
      readonly node: NodeInfo;
      readonly state: CycleState;
      /** Number of nodes that the last search visited; the next search begins after them. */
      readonly evaluated: number;
      readonly feasible: number;
    }
  | Unplaced;

export interface Unplaced {
  readonly kind: 'unplaced';
  readonly failure: FitFailure;
  readonly state: CycleState;
  readonly evaluated: number;
}

export interface CycleInput {
  readonly profile: Profile;
  readonly nodes: readonly NodeInfo[];
  /** Counts of the pods on these nodes; computed when a plugin needs them, if absent. */
  readonly tallies?: ClusterTallies;
  /** Index at which the search begins, so that every node is visited over many cycles. */
  readonly startAt: number;
  /** Nominated pods by node. */
  readonly nominated?: (node: string) => readonly PodInfo[];
  /** Nodes with nominated pods; if absent, `nominated` is called for each node. */
  readonly nominatedNodes?: ReadonlySet<NodeInfo>;
  /** The nominated node of this pod: if it fits there, no other node is evaluated. */
  readonly nominatedNode?: string | undefined;
  /** Whether `profile` measures every plugin; then the rest of the attempt is measured too. */
  readonly isSampled?: boolean;
  /**
   * Percentage of nodes that must fit before the search ends; 0 for a value that depends on the size of the cluster.
   */
  readonly percentageOfNodesToScore?: number;
}

/** Finds the best node for a pod: filter, score, select. Nothing is awaited, so the cluster cannot change meanwhile. */
export function placePod(pod: PodInfo, input: CycleInput): Placement {
  const cycle = openCycle(pod, input);
  if (cycle.kind === 'unplaced') return cycle;
  const nominatedHere = fittingNominated(cycle);
  if (nominatedHere) return placedAsNominated(cycle, nominatedHere);
  const found = filterNodes(cycle);
  return found.feasible.length === 0 ? unplaced(cycle, found) : placed(cycle, found, scoreIfNeeded(cycle, found));
}

/** An attempt after PreFilter and before single nodes are evaluated. */
export interface OpenCycle {
  readonly kind: 'open';
  readonly pod: PodInfo;
  readonly input: CycleInput;
  readonly state: CycleState;
  /** The candidate nodes. */
  readonly candidates: readonly NodeInfo[];
  /** The plugins that excluded the other nodes. */
  readonly restrictedBy: readonly string[];
}

/** Runs the pre-filter plugins; one may reject the pod for all nodes. */
export function openCycle(pod: PodInfo, input: CycleInput): OpenCycle | Unplaced {
  return atPoint(input.profile, 'PreFilter', () => preFilter(pod, input), statusOfOpening);
}

function statusOfOpening(cycle: OpenCycle | Unplaced): PointStatus {
  if (cycle.kind === 'open') return 'Success';
  const [verdict = unschedulableAndUnresolvable()] = cycle.failure.failures.values();
  return statusOfVerdict(verdict);
}

function preFilter(pod: PodInfo, input: CycleInput): OpenCycle | Unplaced {
  const { profile, nodes, tallies, isSampled = false } = input;
  const state = new CycleState(nodes, tallies);
  state.isSampled = isSampled;
  let names: ReadonlySet<string> | undefined;
  const restrictedBy: string[] = [];
  for (const plugin of profile.preFilter) {
    const result = plugin.preFilter(state, pod, nodes);
    if (result.kind === 'skip') state.skippedFilters.add(plugin.name);
    else if (result.kind === 'ready') {
      const more = result.nodeNames;
      if (!more) continue;
      restrictedBy.push(plugin.name);
      names = names ? new Set([...names].filter((name) => more.has(name))) : more;
    } else {
      const verdict: Verdict = { kind: result.kind, reasons: result.reasons };
      return { kind: 'unplaced', failure: refusedByOne(nodes, verdict, plugin.name), state, evaluated: 0 };
    }
  }
  const chosen = names;
  const candidates = chosen ? nodes.filter(({ name }) => chosen.has(name)) : nodes;
  return { kind: 'open', pod, input, state, candidates, restrictedBy };
}

function refusedByOne(nodes: readonly NodeInfo[], verdict: Verdict, plugin: string): FitFailure {
  return {
    nodeCount: nodes.length,
    failures: new Map(nodes.map(({ name }) => [name, verdict])),
    preFilterReason: verdict.kind === 'fits' ? '' : verdict.reasons.join(', '),
    refusedBy: new Set([plugin]),
  };
}

/** The pod's nominated node, if the pod fits there. */
export function fittingNominated({ pod, input, state, candidates }: OpenCycle): NodeInfo | undefined {
  const { profile, nominatedNode } = input;
  if (nominatedNode === undefined) return undefined;
  const node = candidates.find(({ name }) => name === nominatedNode);
  return node && !refusal({ state, pod, node, profile }, input) ? node : undefined;
}

export function placedAsNominated({ state }: OpenCycle, node: NodeInfo): Placement {
  return { kind: 'placed', node, state, evaluated: 0, feasible: 1 };
}

/** The node with the highest total; without scoring if there is only one. */
export function placed({ state }: OpenCycle, { feasible, evaluated }: Filtered, totals: readonly number[]): Placement {
  return { kind: 'placed', node: highest(feasible, totals), state, evaluated, feasible: feasible.length };
}

/** Nodes that were not filtered were excluded by the PreFilter plugins that returned node names. */
export function unplaced({ input, state, restrictedBy }: OpenCycle, { failures, evaluated }: Filtered): Unplaced {
  const { nodes } = input;
  const notCandidate = unschedulableAndUnresolvable(
    `node(s) didn't satisfy plugin(s) [${[...restrictedBy].sort().join(' ')}]`,
  );
  const verdicts = new Map([...failures].map(([node, { verdict }]) => [node, verdict]));
  for (const { name } of nodes) if (!verdicts.has(name)) verdicts.set(name, notCandidate);
  const refusedBy = new Set([...[...failures.values()].map(({ plugin }) => plugin), ...restrictedBy]);
  return {
    kind: 'unplaced',
    failure: { nodeCount: nodes.length, failures: verdicts, refusedBy },
    state,
    evaluated,
  };
}

/** The feasible nodes, and the reasons for the others. */
export interface Filtered {
  readonly feasible: readonly NodeInfo[];
  readonly failures: ReadonlyMap<string, Refusal>;
  readonly evaluated: number;
  /** The shape of the pod, for the cached results of nodes. */
  readonly shape?: PodShape | undefined;
}

export function filterNodes(cycle: OpenCycle): Filtered {
  return atPoint(cycle.input.profile, 'Filter', () => lookForNodes(cycle));
}

function lookForNodes({ state, pod, input, candidates: nodes }: OpenCycle): Filtered {
  const { startAt, nominatedNodes } = input;
  const profile = input.profile.plain ?? input.profile;
  const enough = nodesToFind(nodes.length, input.percentageOfNodesToScore);
  // One object for all nodes, because there may be thousands for each pod.
  const one = { state, pod, profile, node: nodes[0] as NodeInfo, filters: activeFilters(state, profile) };
  const timed = input.profile.plain && { ...one, filters: activeFilters(state, input.profile) };
  const memory = memoryFor(one, profile);
  const noneNominated = nominatedNodes?.size === 0;
  const feasible: NodeInfo[] = [];
  const failures = new Map<string, Refusal>();
  let evaluated = 0;
  while (evaluated < nodes.length && feasible.length < enough) {
    const search = timed && isSampledNode(evaluated) ? timed : one;
    const node = nodes[(startAt + evaluated++) % nodes.length] as NodeInfo;
    search.node = node;
    const isQuick = search === one && (noneNominated || nominatedNodes?.has(node) === false);
    const failure = isQuick ? remembered(one, memory) : refusal(search, input);
    if (failure) failures.set(node.name, failure);
    else feasible.push(node);
  }
  return { feasible, failures, evaluated, shape: memory?.shape };
}

/** The shape for which nodes cache the results of the first filters, and the filters that must be called. */
interface Memory {
  readonly shape: PodShape;
  readonly first: readonly FilterPlugin[];
  readonly rest: readonly FilterPlugin[];
}

function memoryFor({ pod, filters }: Required<FilterOne>, profile: Profile): Memory | undefined {
  const end = filters.findIndex(({ isNodeLocal }) => !isNodeLocal);
  const first = end < 0 ? filters : filters.slice(0, end);
  const shape = first.length > 0 ? shapeOf(pod, { profile, filters: first }) : undefined;
  return shape && { shape, first, rest: filters.slice(first.length) };
}

/** The cached result for the last pod of the shape, if the node is unchanged, and the results of the other filters. */
function remembered(one: FilterOne, memory: Memory | undefined): Refusal | undefined {
  if (!memory) return firstFailure(one);
  const { shape, first, rest } = memory;
  let memo = memoOf(one.node, shape);
  if (!memo) {
    memo = new NodeMemo(shape, failureOf(first, one));
    one.node.memo = memo;
  }
  return memo.refusal ?? (rest.length > 0 ? failureOf(rest, one) : undefined);
}

/**
 * All nodes in a small cluster; in a large one a percentage that decreases with its size, but at least a hundred nodes.
 */
export function nodesToFind(count: number, percentageOption = 0): number {
  if (count < 100 || percentageOption >= 100) return count;
  const percentage = percentageOption > 0 ? percentageOption : Math.max(5, 50 - Math.trunc(count / 125));
  return Math.max(100, Math.trunc((count * percentage) / 100));
}

export interface FilterOne {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly node: NodeInfo;
  readonly profile: Profile;
  /** The `activeFilters`, computed once for searches over many nodes. */
  readonly filters?: readonly FilterPlugin[];
}

/**
 * Filters with and without the pods nominated for this node: the pod must fit in both cases. Nominated pods of lower
 * priority do not count, because the pod may take their place.
 */
export function refusal(one: FilterOne, { nominated }: Pick<CycleInput, 'nominated'>): Refusal | undefined {
  const nominatedHere = nominated?.(one.node.name);
  if (!nominatedHere?.length) return firstFailure(one);
  const rivals = nominatedHere.filter((other) => other.uid !== one.pod.uid && other.priority >= one.pod.priority);
  if (rivals.length > 0) {
    const node = one.node.clone();
    const state = one.state.clone();
    for (const other of rivals) {
      node.addPod(other);
      for (const plugin of one.profile.preFilter) plugin.addPod?.(state, one.pod, { other, node });
    }
    const failure = firstFailure({ ...one, node, state });
    if (failure) return failure;
  }
  return firstFailure(one);
}

/** The filters that are not skipped in an attempt. */
export function activeFilters(state: CycleState, { filter }: Profile): readonly FilterPlugin[] {
  return filter.filter(({ name }) => !state.skippedFilters.has(name));
}

/** The result of the first plugin that rejects the node; `undefined` if none does. */
function firstFailure(one: FilterOne): Refusal | undefined {
  return failureOf(one.filters ?? activeFilters(one.state, one.profile), one);
}

function failureOf(filters: readonly FilterPlugin[], { state, pod, node }: FilterOne): Refusal | undefined {
  for (const plugin of filters) {
    const verdict = plugin.filter(state, pod, node);
    if (verdict !== fits && verdict.kind !== 'fits') return { plugin: plugin.name, verdict };
  }
  return undefined;
}

const noScores: readonly number[] = [];

/** A single node is not scored. */
export function scoreIfNeeded(
  { state, pod, input: { profile } }: OpenCycle,
  { feasible: nodes, shape }: Filtered,
): readonly number[] {
  return nodes.length === 1 ? noScores : scoreNodes({ state, pod, profile, nodes }, shape);
}
