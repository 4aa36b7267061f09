import type { NodeInfo } from './cache/node-info.js';
import type { PodInfo } from './cache/pod-info.js';
import type { CycleState } from './framework/cycle-state.js';
import { atPoint } from './framework/measuring.js';
import type { ScorePlugin } from './framework/plugin.js';
import { isSampledNode, type Profile } from './framework/profile.js';
import { memoOf, type NodeMemo, type PodShape } from './node-memo.js';

export interface Scoring {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly profile: Profile;
  /** The feasible nodes. */
  readonly nodes: readonly NodeInfo[];
}

/** The weighted sum of all plugins' scores of each node. `shape`: identifies the pod for cached results of nodes. */
export function scoreNodes(scoring: Scoring, shape?: PodShape): number[] {
  const { state, pod, profile, nodes } = scoring;
  atPoint(profile, 'PreScore', () => {
    for (const plugin of profile.preScore)
      if (plugin.preScore(state, pod, nodes) === 'skip') state.skippedScores.add(plugin.name);
  });
  return atPoint(profile, 'Score', () => addUp(scoring, shape));
}

/**
 * The node with the highest score. Of equal ones it is the one that kube-scheduler takes from its heap: there, a node
 * is above those at twice its index, and precedes them; and what is below the first of these two precedes what is below
 * the second.
 */
export function highest(nodes: readonly NodeInfo[], totals: readonly number[]): NodeInfo {
  const winners = totals.map((_, index) => index);
  const better = (one: number, other: number | undefined) =>
    other !== undefined && (totals[other] as number) > (totals[one] as number) ? other : one;
  for (let i = (totals.length >> 1) - 1; i >= 0; i--)
    winners[i] = better(i, better(winners[2 * i + 1] as number, winners[2 * i + 2]));
  return nodes[winners[0] ?? 0] as NodeInfo;
}

interface Scorer {
  readonly plugin: ScorePlugin;
  /** The same with measurement; called for some of the nodes. */
  readonly timed: ScorePlugin | undefined;
  readonly weight: number;
}

function scorersOf({ state, profile }: Scoring): Scorer[] {
  const { plain } = profile;
  const scorers = (plain ?? profile).score.map(({ plugin, weight }, index) => ({
    plugin,
    timed: plain && profile.score[index]?.plugin,
    weight,
  }));
  return scorers.filter(({ plugin }) => !state.skippedScores.has(plugin.name));
}

function addUp(scoring: Scoring, shape?: PodShape): number[] {
  const { state, pod, nodes } = scoring;
  const scorers = scorersOf(scoring);
  const isLocal = ({ plugin }: Scorer) => shape !== undefined && plugin.isNodeLocal === true && !plugin.normalize;
  const local = scorers.filter(isLocal);
  const isMeasured = scoring.profile.plain !== undefined;
  // Cached scores of `nodeLocal` plugins stay valid while the node is unchanged.
  const totals = nodes.map((node, index) => {
    const memo = shape && memoOf(node, shape);
    if (memo?.total !== undefined && !(isMeasured && isSampledNode(index))) return memo.total;
    return localTotal(scoring, { index, memo, local });
  });
  for (const scorer of scorers) {
    if (isLocal(scorer)) continue;
    const { plugin, timed, weight } = scorer;
    if (!plugin.normalize) {
      addScores(totals, weight, (index) => scoreOf(scoring, scorer, index));
      continue;
    }
    const scores = new Array<number>(nodes.length).fill(0);
    addScores(scores, 1, (index) => scoreOf(scoring, scorer, index));
    (timed ?? plugin).normalize?.(scores, { state, pod, nodes });
    addScores(totals, weight, (index) => scores[index] as number);
  }
  return totals;
}

function scoreOf({ state, pod, nodes }: Scoring, { plugin, timed }: Scorer, index: number): number {
  return (timed && isSampledNode(index) ? timed : plugin).score(state, pod, nodes[index] as NodeInfo);
}

function localTotal(
  scoring: Scoring,
  { index, memo, local }: { readonly index: number; readonly memo: NodeMemo | undefined; readonly local: Scorer[] },
): number {
  let total = 0;
  for (const scorer of local) total += scoreOf(scoring, scorer, index) * scorer.weight;
  if (memo) memo.total = total;
  return total;
}

/** Scores without normalization are not collected in a list, because there are hundreds of nodes for each pod. */
function addScores(totals: number[], weight: number, ofNode: (index: number) => number): void {
  for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + ofNode(i) * weight;
}
