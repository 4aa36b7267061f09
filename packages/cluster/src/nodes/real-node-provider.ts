import type { NodeConnector } from '@coracle/apiserver';
import type { NodeProvider } from '@coracle/control-plane';
import { createPodSource, type Kubelet, watchReferences } from '@coracle/kubelet';
import { createCriClient } from '@coracle/platform-nodejs';
import { defaultNodeName, type RealNodeSettings, startRealNode } from './real-node.js';

/** This machine as a node: its container runtime, and what differs from the defaults. */
export interface RealNodeProviderOptions extends RealNodeSettings {
  /** Where the container runtime listens. */
  readonly criEndpoint: string;
  /** Where the kubelet serves: 10250, or a free one if that is taken, unless stated. */
  readonly kubeletPort?: number;
}

/** This machine as a node of the control plane in the same process. */
export function realNodeProvider({ criEndpoint, ...settings }: RealNodeProviderOptions): NodeProvider {
  return {
    async start(context) {
      const { clientFor, informers } = context;
      const nodeName = settings.nodeName ?? defaultNodeName();
      const client = clientFor(`system:node:${nodeName}`, ['system:nodes']).withUserAgent('kubelet');
      const cri = createCriClient({ endpoint: criEndpoint });
      const pods = createPodSource(informers);
      const references = watchReferences(informers)(client);
      const end = () => {
        pods[Symbol.dispose]();
        cri[Symbol.dispose]();
      };
      try {
        const node = await startRealNode({ ...context, ...settings, nodeName, cri, client, pods, references });
        return {
          names: [node.name],
          description: `${node.name}, ${node.runtimeVersion}`,
          connectorTo: (name) => (name === node.name ? inProcessConnector(node.kubelet) : undefined),
          [Symbol.asyncDispose]: async () => {
            await node[Symbol.asyncDispose]();
            end();
          },
        };
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

/** Who the API server is to a kubelet of its own process. */
const peer = { user: { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] } };

function inProcessConnector({ server }: Kubelet): NodeConnector {
  return {
    request: (_node, request) => server.exchange({ ...request, peer }),
    connect: (_node, request, protocols) => server.connect({ ...request, peer }, protocols),
  };
}
