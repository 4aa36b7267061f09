import type { Pod } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { podInfoOf } from '../cache/pod-info.js';
import type { Needs } from '../schedule-one.js';
import { explainPod, type NodeExplanation, type Situation } from './explain-pod.js';
import { type Suggestion, suggestChanges } from './suggest-changes.js';

/** Why a pod waits, or why it is on its node. */
export interface PodExplanation {
  readonly pod: string;
  /** The node of the pod; absent while it waits. */
  readonly node?: string;
  /** The reason why it is gated. */
  readonly gates: readonly string[];
  readonly attempts: readonly { readonly at: string; readonly outcome: string; readonly text: string }[];
  /** The current results of plugins, as if the pod were not scheduled yet. The best nodes come first. */
  readonly nodes: readonly NodeExplanation[];
  /** Suggestions for a pod that fits on no node, or is gated. */
  readonly suggestions: readonly Suggestion[];
}

/**
 * Runs every plugin on every node, and simulates changes that would help. `undefined` if no profile schedules the pod.
 */
export function whyPod(
  pod: Pod,
  {
    profiles,
    cache,
    attempts,
    volumes,
    devices,
  }: Needs<'profiles' | 'cache' | 'attempts'> & Pick<Situation, 'volumes' | 'devices'>,
): PodExplanation | undefined {
  const measured = profiles.get(pod.spec?.schedulerName ?? '');
  if (!measured) return undefined;
  // Simulations do not count as attempts in metrics.
  const { measuring: _measuring, ...profile } = measured;
  const { nodeName, schedulingGates = [], ...spec } = pod.spec ?? { containers: [] };
  const info = podInfoOf(nodeName ? { ...pod, spec } : pod);
  const nodes = cache.nodes().map((node) => {
    if (!node.pods.has(info.uid)) return node;
    const without = node.clone();
    without.removePod(info.uid);
    return without;
  });
  const situation = { pod: info, nodes, profile, volumes, devices };
  const explained = explainPod(situation);
  const fitsNowhere = !nodeName && explained.every(({ refusals }) => refusals.length > 0);
  return {
    pod: info.key,
    ...(nodeName && { node: nodeName }),
    gates: schedulingGates.map(({ name }) => name),
    attempts: attempts.of(info.uid).map(({ at, outcome, node, message = '' }) => ({
      at: formatTime(at),
      outcome,
      text: node === undefined ? message : `to ${node}`,
    })),
    nodes: explained,
    suggestions: openGates(schedulingGates, fitsNowhere ? suggestChanges(situation, explained) : fitting(explained)),
  };
}

/** No change is needed on the best node where the pod fits. */
function fitting([best]: readonly NodeExplanation[]): Suggestion[] {
  return best ? [{ node: best.node, changes: [] }] : [];
}

/** Scheduling gates keep a pod from being scheduled, whatever else is changed. */
function openGates(gates: readonly { readonly name: string }[], suggestions: readonly Suggestion[]): Suggestion[] {
  const texts = gates.map(({ name }) => `remove the scheduling gate ${name}`);
  return suggestions
    .map(({ node, changes }) => ({ node, changes: [...texts, ...changes] }))
    .filter(({ changes }) => changes.length > 0);
}
