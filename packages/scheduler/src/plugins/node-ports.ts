import type { HostPort } from '../cache/pod-info.js';
import type { FilterPlugin, PreFilterPlugin } from '../framework/plugin.js';
import { fits, unschedulable } from '../framework/verdict.js';

const taken = unschedulable("node(s) didn't have free ports for the requested pod ports");

const everyAddress = '0.0.0.0';

/** Filters out nodes on which a requested host port is in use. */
export const nodePorts: PreFilterPlugin & FilterPlugin = {
  name: 'NodePorts',
  wakesOn: [
    { event: 'node-added' },
    {
      event: 'pod-deleted',
      helps: (event, { hostPorts }) =>
        event.kind === 'pod-deleted' &&
        hostPorts.some((port) => event.pod.hostPorts.some((other) => clash(port, other))),
    },
  ],
  preFilter: (_state, { hostPorts }) => (hostPorts.length === 0 ? { kind: 'skip' } : { kind: 'ready' }),
  filter: (_state, { hostPorts }, node) => (node.portsConflict(hostPorts) ? taken : fits),
};

function clash(one: HostPort, other: HostPort): boolean {
  const sameAddress = one.ip === other.ip || one.ip === everyAddress || other.ip === everyAddress;
  return one.port === other.port && one.protocol === other.protocol && sameAddress;
}
