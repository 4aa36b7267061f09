import { toleratesAny } from '@coracle/api';
import type { FilterPlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

const cordoned = unschedulableAndUnresolvable('node(s) were unschedulable');
const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Keeps pods off nodes that are cordoned, unless they tolerate it. */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  wakesOn: [
    { event: 'node-added' },
    { event: 'node-updated', helps: (event) => event.kind === 'node-updated' && !event.node.spec?.unschedulable },
  ],
  filter(_state, { pod }, { node }) {
    if (!node.spec?.unschedulable || toleratesAny(pod.spec?.tolerations, taint)) return fits;
    return cordoned;
  },
};
