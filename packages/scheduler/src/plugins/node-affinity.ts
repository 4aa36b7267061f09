import {
  type NodeAffinity,
  type PodSpec,
  type PreferredSchedulingTerm,
  requiredNodeAffinityMatches,
  termMatches,
} from '@coracle/api';
import type { PluginArguments } from '../config/scheduler-configuration.js';
import { normalizeByMaximum } from '../framework/normalize.js';
import type { FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

const reason = "node(s) didn't match Pod's node affinity/selector";
const mismatch = unschedulableAndUnresolvable(reason);
const enforced = unschedulableAndUnresolvable("node(s) didn't match scheduler-enforced node affinity");

/**
 * Filters nodes by the node selector and required node affinity of pods, and scores by preferred affinity.
 * `addedAffinity` of the configuration applies to all pods.
 */
export function nodeAffinity({
  addedAffinity,
}: PluginArguments['NodeAffinity'] = {}): PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin {
  const added = specWith(addedAffinity);
  const addedPreferences = preferences(added);
  const accepts = (spec: PodSpec | undefined, node: Parameters<typeof termMatches>[1]) =>
    requiredNodeAffinityMatches(spec, node) && requiredNodeAffinityMatches(added, node);
  return {
    name: 'NodeAffinity',
    wakesOn: [
      {
        event: 'node-added',
        helps: (event, { pod }) => event.kind === 'node-added' && accepts(pod.spec, event.node),
      },
      {
        event: 'node-updated',
        helps: (event, { pod }) =>
          event.kind === 'node-updated' && accepts(pod.spec, event.node) && !accepts(pod.spec, event.previous),
      },
    ],

    preFilter(_state, { pod }) {
      const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      if (required === undefined && pod.spec?.nodeSelector === undefined && !added) return { kind: 'skip' };
      const nodeNames = namedNodes(pod.spec);
      if (nodeNames?.size === 0)
        return { kind: 'unschedulable-and-unresolvable', reasons: ['pod affinity terms conflict'] };
      return nodeNames ? { kind: 'ready', nodeNames } : { kind: 'ready' };
    },

    filter(_state, { pod }, { node }) {
      if (added && !requiredNodeAffinityMatches(added, node)) return enforced;
      return requiredNodeAffinityMatches(pod.spec, node) ? fits : mismatch;
    },

    preScore(_state, { pod }) {
      return preferences(pod.spec).length + addedPreferences.length === 0 ? 'skip' : undefined;
    },

    score(_state, { pod }, { node }) {
      let score = 0;
      for (const { weight, preference } of [...preferences(pod.spec), ...addedPreferences])
        if (weight > 0 && termMatches(preference, node)) score += weight;
      return score;
    },

    normalize: (scores) => normalizeByMaximum(scores, { reverse: false }),
  };
}

function specWith(nodeAffinity: NodeAffinity | undefined): PodSpec | undefined {
  return nodeAffinity && { containers: [], affinity: { nodeAffinity } };
}

function preferences(spec: PodSpec | undefined): readonly PreferredSchedulingTerm[] {
  return spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** The nodes that a pod selects by name, as those of daemon sets do; `undefined` if any term does not. */
function namedNodes(spec: PodSpec | undefined): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms?.length) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => values);
    if (lists.length === 0) return undefined;
    for (const name of lists[0] ?? []) if (lists.every((list) => list.includes(name))) names.add(name);
  }
  return names;
}
