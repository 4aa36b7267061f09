import { refs } from '@coracle/api';
import type { NodeContext, NodeProvider, ProvidedNodes } from '@coracle/control-plane';
import { simulatedConnector, simulatedPods } from './access/node-access.js';
import { type SimulatedNodes, type SimulatedNodesOptions, startSimulatedNodes } from './simulated-nodes.js';

export interface SimulatedNodeProvider extends NodeProvider {
  /** Throws until the control plane has started them. */
  readonly nodes: SimulatedNodes;
}

type ProviderOptions = Pick<
  SimulatedNodesOptions,
  'count' | 'namePrefix' | 'capacity' | 'labels' | 'settings' | 'wrapRuntime'
>;

/** Simulated nodes in a control plane's process. */
export function simulatedNodeProvider(options: ProviderOptions): SimulatedNodeProvider {
  let nodes: SimulatedNodes | undefined;
  return {
    get nodes() {
      if (!nodes) throw new Error('the simulated nodes have not been started');
      return nodes;
    },
    start: async (context) => {
      nodes = await startSimulatedNodes({ ...context, ...options });
      return provided(nodes, context);
    },
  };
}

function provided(nodes: SimulatedNodes, { informers }: NodeContext): ProvidedNodes {
  const connector = simulatedConnector(nodes);
  const pods = informers.for(refs.pods);
  pods.addIndex(addressIndex, ({ status }) => (status?.podIP ? [status.podIP] : []));
  const isOurs = (name: string | undefined) => nodes.runtimeOf(name ?? '') !== undefined;
  return {
    get names() {
      return nodes.names;
    },
    get description() {
      return `${nodes.names.length}, simulated`;
    },
    connectorTo: (name) => (isOurs(name) ? connector : undefined),
    podDialer: (address) =>
      pods.byIndex(addressIndex, address).some(({ spec }) => isOurs(spec?.nodeName)) ? simulatedPods : undefined,
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
}

const addressIndex = 'status.podIP';
