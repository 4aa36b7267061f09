import type { FilterPlugin, PreFilterPlugin } from '../framework/plugin.js';
import { fits, unschedulable } from '../framework/verdict.js';

const taken = unschedulable("node(s) didn't have free ports for the requested pod ports");

/** Keeps pods off nodes where a host port that they want is taken. */
export const nodePorts: PreFilterPlugin & FilterPlugin = {
  name: 'NodePorts',
  wakesOn: [
    { event: 'node-added' },
    { event: 'pod-deleted', helps: (event) => event.kind === 'pod-deleted' && event.pod.hostPorts.length > 0 },
  ],
  preFilter: (_state, { hostPorts }) => (hostPorts.length === 0 ? { kind: 'skip' } : { kind: 'ready' }),
  filter: (_state, { hostPorts }, node) => (node.portsConflict(hostPorts) ? taken : fits),
};
