import type { TallySpec } from '../cache/cluster-tallies.js';
import type { NodeInfo } from '../cache/node-info.js';
import { type AffinityTerm, type PodInfo, termMatches } from '../cache/pod-info.js';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import type { CycleState } from '../framework/cycle-state.js';
import { stateKey } from '../framework/cycle-state.js';
import {
  type FilterPlugin,
  maxScore,
  type PreFilterPlugin,
  type PreScorePlugin,
  type ScorePlugin,
} from '../framework/plugin.js';
import { fits, unschedulable, unschedulableAndUnresolvable } from '../framework/verdict.js';
import { affinityHints } from './affinity-hints.js';
import type { NamespaceLabels } from './namespace-labels.js';
import { TopologyCounts } from './topology-counts.js';

const noAffinity = unschedulableAndUnresolvable("node(s) didn't match pod affinity rules");
const antiAffinity = unschedulable("node(s) didn't match pod anti-affinity rules");
const existingAntiAffinity = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

interface FilterState {
  /** Topologies of existing pods with anti-affinity to this pod. */
  readonly refusing: TopologyCounts;
  /** Topologies of existing pods that match all required affinity terms of this pod. */
  readonly affinity: TopologyCounts;
  /** Topologies of existing pods that match an anti-affinity term of this pod. */
  readonly refused: TopologyCounts;
}

const filterState = stateKey<FilterState>('InterPodAffinity/filter', ({ refusing, affinity, refused }) => ({
  refusing: refusing.clone(),
  affinity: affinity.clone(),
  refused: refused.clone(),
}));
const scoreState = stateKey<TopologyCounts>('InterPodAffinity/score');

/** The terms of a pod that match another pod. */
interface TermMatcher {
  /** Counts existing pods that match all of the terms. */
  tallyOf(terms: readonly AffinityTerm[], topologyKey: string): TallySpec;
  matches(term: AffinityTerm, pod: PodInfo): boolean;
  /** False if there are no terms. */
  matchesAll(terms: readonly AffinityTerm[], pod: PodInfo): boolean;
}

/**
 * Filters and scores by inter-pod affinity and anti-affinity: by the terms of the pod, and by the anti-affinity of
 * existing pods.
 */
export function interPodAffinity(
  { labelsOf, version }: NamespaceLabels,
  args: PluginArguments['InterPodAffinity'] = {},
): PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin {
  const matches = (term: AffinityTerm, pod: PodInfo) => termMatches(term, pod, labelsOf);
  const matchesAll = (terms: readonly AffinityTerm[], pod: PodInfo) =>
    terms.length > 0 && terms.every((term) => matches(term, pod));
  const tallyOf = (terms: readonly AffinityTerm[], topologyKey: string): TallySpec => ({
    name: nameOfTally(terms, topologyKey, version),
    topologyKey,
    countsNode: () => true,
    countsPod: (pod) => matchesAll(terms, pod),
  });
  const matcher = { matches, matchesAll, tallyOf };
  return {
    name: 'InterPodAffinity',
    wakesOn: affinityHints(matcher),
    ...filterByAffinity(matcher),
    ...scoreByAffinity(matcher, args),
  };
}

/** Terms with namespace selectors match other pods when labels of namespaces change. */
function nameOfTally(terms: readonly AffinityTerm[], topologyKey: string, version: () => number): string {
  const names = `${topologyKey} ${terms.map(({ name }) => name).join(' ')}`;
  return terms.some(({ namespaceSelector }) => namespaceSelector) ? `${version()} ${names}` : names;
}

type Filtering = Pick<PreFilterPlugin, 'preFilter' | 'addPod' | 'removePod'> & Pick<FilterPlugin, 'filter'>;

function filterByAffinity({ matches, matchesAll, tallyOf }: TermMatcher): Filtering {
  return {
    preFilter(state, pod) {
      const { tallies } = state;
      const counts: FilterState = {
        refusing: new TopologyCounts(),
        affinity: new TopologyCounts(),
        refused: new TopologyCounts(),
      };
      for (const group of tallies.affinity.of('requiredAntiAffinity'))
        if (matches(group.term, pod)) counts.refusing.include(group);
      for (const { topologyKey } of pod.requiredAffinity)
        counts.affinity.include(tallies.tally(tallyOf(pod.requiredAffinity, topologyKey)));
      for (const term of pod.requiredAntiAffinity)
        counts.refused.include(tallies.tally(tallyOf([term], term.topologyKey)));
      state.write(filterState, counts);
      const particular = pod.requiredAffinity.length + pod.requiredAntiAffinity.length > 0;
      return !particular && counts.refusing.isEmpty ? { kind: 'skip' } : { kind: 'ready' };
    },

    addPod: (state, pod, { other, node }) => change(state, pod, { other, node, sign: 1 }),
    removePod: (state, pod, { other, node }) => change(state, pod, { other, node, sign: -1 }),

    filter(state, pod, node) {
      const counts = state.read(filterState);
      if (!counts) return fits;
      if (!hasWanted(pod, node, counts)) return noAffinity;
      if (pod.requiredAntiAffinity.some(({ topologyKey }) => counts.refused.at(node, topologyKey) > 0))
        return antiAffinity;
      return counts.refusing.anyAt(node) ? existingAntiAffinity : fits;
    },
  };

  /** Counts one existing pod on a node for the incoming pod; a negative sign removes it. */
  function count(
    state: FilterState,
    pod: PodInfo,
    { other, node, sign }: { other: PodInfo; node: NodeInfo; sign: 1 | -1 },
  ): void {
    for (const term of other.requiredAntiAffinity)
      if (matches(term, pod)) state.refusing.add(node, term.topologyKey, sign);
    if (matchesAll(pod.requiredAffinity, other))
      for (const term of pod.requiredAffinity) state.affinity.add(node, term.topologyKey, sign);
    for (const term of pod.requiredAntiAffinity)
      if (matches(term, other)) state.refused.add(node, term.topologyKey, sign);
  }

  function change(state: CycleState, pod: PodInfo, what: { other: PodInfo; node: NodeInfo; sign: 1 | -1 }): void {
    const current = state.read(filterState);
    if (current) count(current, pod, what);
  }

  function hasWanted(pod: PodInfo, node: NodeInfo, { affinity }: FilterState): boolean {
    if (pod.requiredAffinity.length === 0) return true;
    if (pod.requiredAffinity.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
    if (pod.requiredAffinity.every(({ topologyKey }) => affinity.at(node, topologyKey) > 0)) return true;
    // The first pod of a group with affinity to itself finds no other.
    return affinity.isEmpty && matchesAll(pod.requiredAffinity, pod);
  }
}

function scoreByAffinity(
  { matches, tallyOf }: TermMatcher,
  args: NonNullable<PluginArguments['InterPodAffinity']>,
): Pick<PreScorePlugin, 'preScore'> & Pick<ScorePlugin, 'score' | 'normalize'> {
  /** Weight of the required affinity of existing pods to the incoming pod. */
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = args;
  return {
    preScore(state, pod) {
      const isIndifferent = pod.preferredAffinity.length + pod.preferredAntiAffinity.length === 0;
      if (isIndifferent && ignorePreferredTermsOfExistingPods) return 'skip';
      const { tallies } = state;
      const scores = new TopologyCounts();
      for (const { term, weight } of pod.preferredAffinity)
        scores.include(tallies.tally(tallyOf([term], term.topologyKey)), weight);
      for (const { term, weight } of pod.preferredAntiAffinity)
        scores.include(tallies.tally(tallyOf([term], term.topologyKey)), -weight);
      for (const group of tallies.affinity.of('requiredAffinity'))
        if (matches(group.term, pod)) scores.include(group, hardPodAffinityWeight);
      for (const group of tallies.affinity.of('preferred')) if (matches(group.term, pod)) scores.include(group);
      if (scores.isUntouched) return 'skip';
      state.write(scoreState, scores);
      return undefined;
    },

    score: (state, _pod, node) => state.read(scoreState)?.sumAt(node) ?? 0,

    normalize(scores) {
      const least = scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      const span = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - least;
      // Divides first, as upstream does: the last digit of an inexact quotient may decide between two scores.
      for (let i = 0; i < scores.length; i++)
        scores[i] = span > 0 ? Math.trunc(maxScore * (((scores[i] as number) - least) / span)) : 0;
    },
  };
}
