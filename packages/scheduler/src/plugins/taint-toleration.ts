import { type Node, type Taint, type Toleration, toleratesAny } from '@coracle/api';
import type { PodInfo } from '../cache/pod-info.js';
import { stateKey } from '../framework/cycle-state.js';
import { normalizeByMaximum } from '../framework/normalize.js';
import type { FilterPlugin, PreScorePlugin, ScorePlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

const untolerated = unschedulableAndUnresolvable('node(s) had untolerated taint(s)');
/** The tolerations that apply to PreferNoSchedule taints. */
const preferring = stateKey<readonly Toleration[]>('TaintToleration');

/** Filters out nodes with NoSchedule and NoExecute taints that the pod does not tolerate, and scores by PreferNoSchedule taints. */
export const taintToleration: FilterPlugin & PreScorePlugin & ScorePlugin = {
  name: 'TaintToleration',
  isNodeLocal: true,
  wakesOn: [
    { event: 'node-added', helps: (event, pod) => event.kind === 'node-added' && isTolerated(event.node, pod) },
    {
      event: 'node-updated',
      helps: (event, pod) =>
        event.kind === 'node-updated' && isTolerated(event.node, pod) && !isTolerated(event.previous, pod),
    },
  ],

  filter: (_state, pod, { taints }) => (toleratesAll(taints, pod) ? fits : untolerated),

  preScore(state, { pod }) {
    state.write(
      preferring,
      (pod.spec?.tolerations ?? []).filter(({ effect }) => !effect || effect === 'PreferNoSchedule'),
    );
    return undefined;
  },

  score(state, _pod, { taints }) {
    if (taints.length === 0) return 0;
    const tolerations = state.read(preferring);
    return taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !toleratesAny(tolerations, taint)).length;
  },

  normalize: (scores) => normalizeByMaximum(scores, { reverse: true }),
};

function isTolerated({ spec }: Node, pod: PodInfo): boolean {
  return toleratesAll(spec?.taints ?? [], pod);
}

function toleratesAll(taints: readonly Taint[], { pod }: PodInfo): boolean {
  if (taints.length === 0) return true;
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || toleratesAny(pod.spec?.tolerations, taint));
}
