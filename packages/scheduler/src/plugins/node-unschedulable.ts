import { type Node, toleratesAny } from '@coracle/api';
import type { PodInfo } from '../cache/pod-info.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

const cordoned = unschedulableAndUnresolvable('node(s) were unschedulable');
const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Filters out cordoned nodes, unless the pod tolerates that. */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  isNodeLocal: true,
  wakesOn: [
    { event: 'node-added', helps: (event, pod) => event.kind === 'node-added' && accepts(event.node, pod) },
    {
      event: 'node-updated',
      helps: (event, pod) => event.kind === 'node-updated' && accepts(event.node, pod) && !accepts(event.previous, pod),
    },
  ],
  filter: (_state, pod, { isCordoned }) => (!isCordoned || tolerates(pod) ? fits : cordoned),
};

function accepts({ spec }: Node, pod: PodInfo): boolean {
  return !spec?.unschedulable || tolerates(pod);
}

function tolerates({ pod }: PodInfo): boolean {
  return toleratesAny(pod.spec?.tolerations, taint);
}
