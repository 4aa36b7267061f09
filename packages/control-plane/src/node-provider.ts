import type { Node } from '@coracle/api';
import { serviceUnavailable } from '@coracle/apimachinery';
import type { Dialer, NodeConnector, ObjectReader } from '@coracle/apiserver';
import type { Activity } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import type { ComponentOptions } from './components.js';

/** Dependencies of the nodes in a control plane's process. */
export interface NodeContext extends Omit<ComponentOptions, 'leaderElection' | 'activity'> {
  readonly activity: Activity;
  /** The control plane's part of it. */
  readonly controlPlane: Activity;
  readonly objects: ObjectReader;
  /** Started by the control plane, with rights to read everything: many nodes share one watch. */
  readonly informers: InformerFactory;
}

/** Starts nodes in the control plane's process: simulated ones, or this machine. */
export interface NodeProvider {
  start(context: NodeContext): Promise<ProvidedNodes>;
}

/** Operations on running simulated nodes. */
export interface NodeCommands {
  has(name: string): boolean;
  /** Adds nodes with the labels, annotations, taints and capacity of another; returns their names. */
  add(count: number, like?: Node): Promise<readonly string[]>;
  /** Stops the node until `recover`. */
  fail(name: string): Promise<void>;
  /** Disconnects the node from the API server, until it recovers. */
  partition(name: string): Promise<void>;
  recover(name: string): Promise<void>;
}

/** Nodes that run in this process. */
export interface ProvidedNodes extends AsyncDisposable {
  readonly names: readonly string[];
  /** A description: `2, simulated`. */
  readonly description: string;
  /** Connects the API server to the kubelet and the pods of a node without a network; `undefined` for other nodes. */
  connectorTo?(nodeName: string): NodeConnector | undefined;
  readonly commands?: NodeCommands;
  /** Connects it to a pod by its address; `undefined` for other addresses. */
  podDialer?(address: string): Dialer | undefined;
}

/** Connects to the nodes of this process directly, and to all others by `remote`. */
export function routeToNodes(providers: () => readonly ProvidedNodes[], remote: NodeConnector): NodeConnector {
  const to = ({ metadata: { name = '' } }: Node) => {
    for (const nodes of providers()) {
      const connector = nodes.connectorTo?.(name);
      if (connector) return connector;
    }
    return remote;
  };
  return {
    request: (node, request) => to(node).request(node, request),
    connect: (node, request, protocols) => to(node).connect(node, request, protocols),
  };
}

/** Reaches the pods of the nodes of this process, by their addresses. */
export function dialerToPods(providers: () => readonly ProvidedNodes[]): (address: string) => Dialer | undefined {
  return (address) => {
    for (const nodes of providers()) {
      const dialer = nodes.podDialer?.(address);
      if (dialer) return dialer;
    }
    return undefined;
  };
}

/** For a control plane without a network: only the nodes of its own process can be reached. */
export const noRemoteNodes: NodeConnector = {
  request: async (node) => {
    throw unreachable(node);
  },
  connect: async (node) => {
    throw unreachable(node);
  },
};

function unreachable({ metadata }: Node) {
  return serviceUnavailable(`error dialing backend: node ${JSON.stringify(metadata.name)} does not answer`);
}
