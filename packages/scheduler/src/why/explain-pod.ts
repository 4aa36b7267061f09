import { messageOf } from '@coracle/base';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Profile } from '../framework/profile.js';
import { unschedulableAndUnresolvable, type Verdict } from '../framework/verdict.js';
import type { DeviceListers } from '../plugins/devices/device-listers.js';
import type { OverlaidListers } from '../plugins/volumes/volume-listers.js';
import { type OpenCycle, openCycle } from '../scheduling-cycle.js';

/** A rejection of a node by one plugin. */
export interface PluginRefusal {
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** Whether preemption would help. */
  readonly isResolvable: boolean;
}

export interface NodeExplanation {
  readonly node: string;
  /** Every plugin that rejects the node, not only the first; none if the pod fits there. */
  readonly refusals: readonly PluginRefusal[];
  /** Scores by plugin, with their weights; for nodes where the pod fits. */
  readonly scores: Readonly<Record<string, number>>;
  readonly total: number;
}

/** The input: a pod that is not on any of these nodes. */
export interface Situation {
  readonly pod: PodInfo;
  readonly nodes: readonly NodeInfo[];
  readonly profile: Profile;
  /** Lookups of the volume plugins. */
  readonly volumes?: OverlaidListers | undefined;
  /** Lookups of the device plugin. */
  readonly devices?: DeviceListers | undefined;
}

/** The results of every plugin for every node, the best nodes first. */
export function explainPod(situation: Situation): NodeExplanation[] {
  const { pod, nodes, profile } = situation;
  const cycle = openCycle(pod, { profile, nodes, startAt: 0 });
  if (cycle.kind === 'unplaced') {
    const { refusedBy, preFilterReason = '' } = cycle.failure;
    const [plugin = ''] = refusedBy;
    const refusals = [{ plugin, reasons: [preFilterReason], isResolvable: false }];
    return nodes.map(({ name }) => ({ node: name, refusals, scores: {}, total: 0 }));
  }
  const refusals = new Map(nodes.map((node) => [node.name, refusalsOf(cycle, node)]));
  const feasible = nodes.filter(({ name }) => refusals.get(name)?.length === 0);
  const scores = scoresOf(cycle, feasible);
  return nodes
    .map(({ name }) => {
      const own = scores.get(name) ?? {};
      const total = Object.values(own).reduce((sum, points) => sum + points, 0);
      return { node: name, refusals: refusals.get(name) ?? [], scores: own, total };
    })
    .sort((a, b) => a.refusals.length - b.refusals.length || b.total - a.total);
}

export function refusalsOf(
  { pod, input, state, candidates, restrictedBy }: OpenCycle,
  node: NodeInfo,
): PluginRefusal[] {
  if (!candidates.includes(node))
    return restrictedBy.map((plugin) => ({
      plugin,
      reasons: ['names the nodes to look at, and this is none of them'],
      isResolvable: false,
    }));
  return input.profile.filter
    .filter(({ name }) => !state.skippedFilters.has(name))
    .flatMap((plugin) => {
      const verdict = verdictOf(() => plugin.filter(state, pod, node));
      if (verdict.kind === 'fits') return [];
      return [{ plugin: plugin.name, reasons: verdict.reasons, isResolvable: verdict.kind === 'unschedulable' }];
    });
}

/** An error of a plugin, which ends a real attempt for all nodes, is the verdict of this one. */
function verdictOf(filter: () => Verdict): Verdict {
  try {
    return filter();
  } catch (error) {
    return unschedulableAndUnresolvable(messageOf(error));
  }
}

function scoresOf({ pod, input, state }: OpenCycle, nodes: readonly NodeInfo[]): Map<string, Record<string, number>> {
  const { preScore, score } = input.profile;
  for (const plugin of preScore)
    if (plugin.preScore(state, pod, nodes) === 'skip') state.skippedScores.add(plugin.name);
  const found = new Map<string, Record<string, number>>(nodes.map(({ name }) => [name, {}]));
  for (const { plugin, weight } of score) {
    if (state.skippedScores.has(plugin.name)) continue;
    const points = nodes.map((node) => plugin.score(state, pod, node));
    plugin.normalize?.(points, { state, pod, nodes });
    nodes.forEach(({ name }, index) => {
      const own = found.get(name);
      if (own) own[plugin.name] = (points[index] ?? 0) * weight;
    });
  }
  return found;
}
