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
import { topologyChanges } from './topology-changes.js';
import { TopologyCounts } from './topology-counts.js';

export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>>;

const noAffinity = unschedulableAndUnresolvable("node(s) didn't match pod affinity rules");
const antiAffinity = unschedulable("node(s) didn't match pod anti-affinity rules");
const existingAntiAffinity = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

interface FilterState {
  /** Where pods are that refuse to be near this one. */
  readonly refusing: TopologyCounts;
  /** Where pods are that match all terms this one requires to be near. */
  readonly wanted: TopologyCounts;
  /** Where pods are that this one refuses to be near. */
  readonly refused: TopologyCounts;
}

const filterState = stateKey<FilterState>('InterPodAffinity/filter', ({ refusing, wanted, refused }) => ({
  refusing: refusing.clone(),
  wanted: wanted.clone(),
  refused: refused.clone(),
}));
const scoreState = stateKey<TopologyCounts>('InterPodAffinity/score');

/** Which terms of a pod are about another. */
interface TermMatcher {
  matches(term: AffinityTerm, pod: PodInfo): boolean;
  /** False if there are no terms. */
  matchesAll(terms: readonly AffinityTerm[], pod: PodInfo): boolean;
}

/** Brings pods near those that they want to be near, and keeps them away from those that they, or the others, want to be away from. */
export function interPodAffinity(
  namespaceLabels: NamespaceLabels,
  args: PluginArguments['InterPodAffinity'] = {},
): PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin {
  const matches = (term: AffinityTerm, pod: PodInfo) => termMatches(term, pod, namespaceLabels);
  const matchesAll = (terms: readonly AffinityTerm[], pod: PodInfo) =>
    terms.length > 0 && terms.every((term) => matches(term, pod));
  const matcher = { matches, matchesAll };
  return {
    name: 'InterPodAffinity',
    wakesOn: topologyChanges,
    ...filterByAffinity(matcher),
    ...scoreByAffinity(matcher, args),
  };
}

type Filtering = Pick<PreFilterPlugin, 'preFilter' | 'addPod' | 'removePod'> & Pick<FilterPlugin, 'filter'>;

function filterByAffinity({ matches, matchesAll }: TermMatcher): Filtering {
  return {
    preFilter(state, pod, nodes) {
      const counts: FilterState = {
        refusing: new TopologyCounts(),
        wanted: new TopologyCounts(),
        refused: new TopologyCounts(),
      };
      const particular = pod.requiredAffinity.length + pod.requiredAntiAffinity.length > 0;
      for (const node of nodes) {
        const relevant = particular ? node.pods : node.podsWithRequiredAntiAffinity;
        // Most nodes have none, and to ask for their values costs more than to count them.
        if (relevant.size > 0) for (const other of relevant.values()) count(counts, pod, { other, node, sign: 1 });
      }
      state.write(filterState, counts);
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

  /** Counts what one pod on a node means to the pod in question; a negative sign takes it back. */
  function count(
    state: FilterState,
    pod: PodInfo,
    { other, node, sign }: { other: PodInfo; node: NodeInfo; sign: 1 | -1 },
  ): void {
    for (const term of other.requiredAntiAffinity)
      if (matches(term, pod)) state.refusing.add(node, term.topologyKey, sign);
    if (matchesAll(pod.requiredAffinity, other))
      for (const term of pod.requiredAffinity) state.wanted.add(node, term.topologyKey, sign);
    for (const term of pod.requiredAntiAffinity)
      if (matches(term, other)) state.refused.add(node, term.topologyKey, sign);
  }

  function change(state: CycleState, pod: PodInfo, what: { other: PodInfo; node: NodeInfo; sign: 1 | -1 }): void {
    const current = state.read(filterState);
    if (current) count(current, pod, what);
  }

  function hasWanted(pod: PodInfo, node: NodeInfo, { wanted }: FilterState): boolean {
    if (pod.requiredAffinity.length === 0) return true;
    if (pod.requiredAffinity.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
    if (pod.requiredAffinity.every(({ topologyKey }) => wanted.at(node, topologyKey) > 0)) return true;
    // The first of a group that wants to be together has nobody to join.
    return wanted.isEmpty && matchesAll(pod.requiredAffinity, pod);
  }
}

function scoreByAffinity(
  { matches }: TermMatcher,
  args: NonNullable<PluginArguments['InterPodAffinity']>,
): Pick<PreScorePlugin, 'preScore'> & Pick<ScorePlugin, 'score' | 'normalize'> {
  /** How much a pod that requires to be near draws the other towards it. */
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = args;
  return {
    preScore(state, pod) {
      const particular = pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0;
      const scores = new TopologyCounts();
      for (const node of state.allNodes) {
        const relevant = particular ? node.pods : node.podsWithAffinity;
        if (relevant.size > 0) for (const other of relevant.values()) addScores(scores, pod, { other, node });
      }
      if (scores.isEmpty) return 'skip';
      state.write(scoreState, scores);
      return undefined;
    },

    score: (state, _pod, node) => state.read(scoreState)?.sumAt(node) ?? 0,

    normalize(scores) {
      const least = Math.min(...scores);
      const span = Math.max(...scores) - least;
      for (let i = 0; i < scores.length; i++)
        scores[i] = span > 0 ? Math.trunc((maxScore * ((scores[i] as number) - least)) / span) : 0;
    },
  };

  function addScores(
    scores: TopologyCounts,
    pod: PodInfo,
    { other, node }: { readonly other: PodInfo; readonly node: NodeInfo },
  ): void {
    for (const { term, weight } of pod.preferredAffinity)
      if (matches(term, other)) scores.add(node, term.topologyKey, weight);
    for (const { term, weight } of pod.preferredAntiAffinity)
      if (matches(term, other)) scores.add(node, term.topologyKey, -weight);
    for (const term of other.requiredAffinity)
      if (matches(term, pod)) scores.add(node, term.topologyKey, hardPodAffinityWeight);
    if (ignorePreferredTermsOfExistingPods) return;
    for (const { term, weight } of other.preferredAffinity)
      if (matches(term, pod)) scores.add(node, term.topologyKey, weight);
    for (const { term, weight } of other.preferredAntiAffinity)
      if (matches(term, pod)) scores.add(node, term.topologyKey, -weight);
  }
}
