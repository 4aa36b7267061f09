import type { FilterPlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

const mismatch = unschedulableAndUnresolvable("node(s) didn't match the requested node name");

/** Filters out all nodes except the one that the pod names. */
export const nodeName: FilterPlugin = {
  name: 'NodeName',
  isNodeLocal: true,
  wakesOn: [
    {
      event: 'node-added',
      helps: (event, { pod }) =>
        event.kind === 'node-added' && (!pod.spec?.nodeName || pod.spec.nodeName === event.node.metadata.name),
    },
  ],
  filter(_state, { pod }, node) {
    return !pod.spec?.nodeName || pod.spec.nodeName === node.name ? fits : mismatch;
  },
};
