import type { Toleration } from '@coracle/api';
import { toleratesAny } from '@coracle/api';
import { stateKey } from '../framework/cycle-state.js';
import { normalizeByMaximum } from '../framework/normalize.js';
import type { FilterPlugin, PreScorePlugin, ScorePlugin } from '../framework/plugin.js';
import { fits, unresolvable } from '../framework/verdict.js';

const untolerated = unresolvable('node(s) had untolerated taint(s)');
/** The tolerations that count against taints which only ask to be avoided. */
const preferring = stateKey<readonly Toleration[]>('TaintToleration');

/** Keeps pods off nodes with taints that they do not tolerate, and away from those that ask to be avoided. */
export const taintToleration: FilterPlugin & PreScorePlugin & ScorePlugin = {
  name: 'TaintToleration',
  wakesOn: [{ event: 'node-added' }, { event: 'node-updated' }],

  filter(_state, { pod }, { node }) {
    const bad = node.spec?.taints?.some(
      (taint) => taint.effect !== 'PreferNoSchedule' && !toleratesAny(pod.spec?.tolerations, taint),
    );
    return bad ? untolerated : fits;
  },

  preScore(state, { pod }) {
    state.write(
      preferring,
      (pod.spec?.tolerations ?? []).filter(({ effect }) => !effect || effect === 'PreferNoSchedule'),
    );
    return undefined;
  },

  score(state, _pod, { node }) {
    const tolerations = state.read(preferring);
    return (node.spec?.taints ?? []).filter(
      (taint) => taint.effect === 'PreferNoSchedule' && !toleratesAny(tolerations, taint),
    ).length;
  },

  normalize: (scores) => normalizeByMaximum(scores, { reverse: true }),
};
