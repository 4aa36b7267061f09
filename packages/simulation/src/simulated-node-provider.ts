import { type Node, refs } from '@coracle/api';
import { createInformers } from '@coracle/client';
import type { NodeCommands, NodeContext, NodeProvider, ProvidedNodes } from '@coracle/control-plane';
import { IngressController, RoutingTable } from '@coracle/ingress';
import { simulatedConnector } from './access/node-access.js';
import { simulatedPods } from './access/simulated-pods.js';
import {
  type NodeShape,
  type SimulatedNodes,
  type SimulatedNodesOptions,
  startSimulatedNodes,
} from './simulated-nodes.js';

export interface SimulatedNodeProvider extends NodeProvider {
  /** Throws until the control plane has started them. */
  readonly nodes: SimulatedNodes;
  /** Routing of requests to hosts of Ingresses and Gateways. */
  readonly routes: RoutingTable;
}

interface ProviderOptions
  extends Pick<
    SimulatedNodesOptions,
    'count' | 'namePrefix' | 'capacity' | 'labels' | 'settings' | 'wrapRuntime' | 'stages'
  > {
  /** Whether Ingresses and Gateways are served here, and not on a real node. */
  readonly ingress: boolean;
}

/** Simulated nodes in a control plane's process. */
export function simulatedNodeProvider(options: ProviderOptions): SimulatedNodeProvider {
  let nodes: SimulatedNodes | undefined;
  let ingress: IngressController | undefined;
  return {
    get nodes() {
      if (!nodes) throw new Error('the simulated nodes have not been started');
      return nodes;
    },
    get routes() {
      return ingress?.table ?? noRoutes;
    },
    start: async (context) => {
      nodes = await startSimulatedNodes({ ...context, ...options });
      ingress = options.ingress ? startIngress(context) : undefined;
      return provided(nodes, context, ingress);
    },
  };
}

const noRoutes = new RoutingTable([]);

/** The router is reached at the first node, according to the objects. */
function startIngress(context: NodeContext): IngressController {
  const client = context.clientFor('system:coracle:ingress', ['system:masters']);
  const { informers } = context;
  const addresses = () => {
    const [first] = [...informers.for(refs.nodes).list()].sort((a, b) =>
      (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1,
    );
    return (first?.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  };
  return new IngressController({
    ...context,
    client,
    createInformers: () => createInformers({ ...context, client }),
    addresses,
  });
}

function provided(
  nodes: SimulatedNodes,
  { informers }: NodeContext,
  ingress: IngressController | undefined,
): ProvidedNodes {
  const connector = simulatedConnector(nodes);
  const pods = informers.for(refs.pods);
  pods.addIndex(addressIndex, ({ status }) => (status?.podIP ? [status.podIP] : []));
  const isOurs = (name: string | undefined) => nodes.runtimeOf(name ?? '') !== undefined;
  const podAt = (address: string) => pods.byIndex(addressIndex, address).find(({ spec }) => isOurs(spec?.nodeName));
  const dialer = simulatedPods(podAt, nodes.servers);
  return {
    get names() {
      return nodes.names;
    },
    get description() {
      return `${nodes.names.length}, simulated`;
    },
    commands: commandsOf(nodes),
    connectorTo: (name) => (isOurs(name) ? connector : undefined),
    podDialer: (address) => (podAt(address) ? dialer : undefined),
    async [Symbol.asyncDispose]() {
      await ingress?.[Symbol.asyncDispose]();
      await nodes[Symbol.asyncDispose]();
    },
  };
}

function commandsOf(nodes: SimulatedNodes): NodeCommands {
  return {
    has: (name) => nodes.runtimeOf(name) !== undefined,
    add: (count, like) => nodes.addNodes(count, like && shapeOf(like)),
    fail: (name) => nodes.stopNode(name),
    partition: async (name) => nodes.cutOff(name),
    recover: async (name) => {
      nodes.reconnect(name);
      await nodes.startNode(name);
    },
  };
}

/** The labels that say which node it is are each node's own. */
function shapeOf({ metadata, spec, status }: Node): NodeShape {
  const { 'kubernetes.io/hostname': _, ...labels } = metadata.labels ?? {};
  const { annotations } = metadata;
  const capacity = status?.capacity ?? status?.allocatable;
  return {
    labels,
    ...(annotations && { annotations }),
    ...(spec?.taints && { taints: spec.taints }),
    ...(capacity && { capacity }),
  };
}

const addressIndex = 'status.podIP';
