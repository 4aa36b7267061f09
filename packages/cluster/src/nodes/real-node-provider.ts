import { DisposableStack, messageOf } from '@coracle/base';
import { type Client, SyncRunner } from '@coracle/client';
import type { NodeContext, NodeProvider } from '@coracle/control-plane';
import { createPodSource, type KubeletSettings, watchReferences } from '@coracle/kubelet';
import { type CriClient, createCriClient } from '@coracle/platform-nodejs';
import { dnsAddresses } from '../network/cluster-dns.js';
import { cniDirectories } from '../network/cni-directories.js';
import { type NodeNetworkSettings, otherConfigs, startNodeNetwork } from '../network/node-network.js';
import { pluginBundle } from '../network/plugin-bundle.js';
import { publishNetwork } from '../network/published-network.js';
import { startNodePorts } from '../network/service-proxies.js';
import { defaultNodeName } from './default-node-name.js';
import { inProcessConnector } from './in-process-connector.js';
import { type RealNodeSettings, startRealNode } from './real-node.js';

/** This machine as a node: its container runtime, and settings that differ from the defaults. */
export interface RealNodeProviderOptions extends RealNodeSettings {
  /** Endpoint of the container runtime. */
  readonly criEndpoint: string;
  /** Endpoint of the image service, if it differs. */
  readonly imageEndpoint?: string;
  /** Port of the kubelet: 10250, or a free one if that is in use, by default. */
  readonly kubeletPort?: number;
  /** Connects its pods, and serves services and names; without it that is left to others. */
  readonly network?: RealNodeNetwork;
  /** Without a network: serves node ports in user space. */
  readonly userSpaceProxy?: boolean;
}

/** The network of the node; the container runtime reports the directory of CNI plugins. */
export type RealNodeNetwork = Omit<NodeNetworkSettings, 'confDir' | 'binDir' | 'pluginBundle'>;

/** This machine as a node of the control plane in the same process. */
export function realNodeProvider(options: RealNodeProviderOptions): NodeProvider {
  const { criEndpoint, imageEndpoint, network, userSpaceProxy, ...settings } = options;
  return {
    async start(context) {
      const { clientFor, informers } = context;
      const nodeName = settings.nodeName ?? defaultNodeName();
      const client = clientFor(`system:node:${nodeName}`, ['system:nodes']).withUserAgent('kubelet');
      const cri = createCriClient({
        endpoint: criEndpoint,
        holdStarts: true,
        ...(imageEndpoint && { imageEndpoint }),
      });
      const pods = createPodSource(informers);
      const references = watchReferences(informers)(client);
      const parts = new DisposableStack();
      parts.use(cri);
      parts.use(pods);
      try {
        if (network) parts.use(await startNetwork(network, { ...context, nodeName, cri }));
        else if (userSpaceProxy) parts.use(await startNodePorts({ ...context, nodeName }));
        const own = { ...settings, settings: { ...dnsSettings(network), ...settings.settings } };
        const node = parts.use(await startRealNode({ ...context, ...own, nodeName, cri, client, pods, references }));
        return {
          names: [node.name],
          description: `${node.name}, ${node.runtimeVersion}`,
          connectorTo: (name) => (name === node.name ? inProcessConnector(node.kubelet, settings.settings) : undefined),
          [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
        };
      } catch (error) {
        await parts[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

async function startNetwork(
  network: RealNodeNetwork,
  context: NodeContext & { readonly nodeName: string; readonly cri: CriClient },
): Promise<AsyncDisposable> {
  const client = context.clientFor('system:coracle:network', ['system:masters']);
  const directories = await cniDirectories(context.cri.runtime);
  const parts = new DisposableStack();
  parts.use(await startNodeNetwork({ ...context, ...network, ...directories, client, pluginBundle: pluginBundle() }));
  const connectsPods = (await otherConfigs(directories.confDir)).length === 0;
  parts.use(keepPublished({ ...network, connectsPods }, { ...context, client }));
  return parts;
}

/** Machines that join need the settings of the network, and may read them. */
function keepPublished(network: RealNodeNetwork, context: NodeContext & { readonly client: Client }): AsyncDisposable {
  const { client, logger } = context;
  return new SyncRunner({
    ...context,
    sync: () => publishNetwork(client, network),
    onError: (error) =>
      logger.error('failed to publish the network for machines that join', { error: messageOf(error) }),
    backoff: { initialMs: 1_000, maxMs: 60_000 },
  });
}

/** The DNS settings of pods. */
function dnsSettings(network: RealNodeNetwork | undefined): Partial<KubeletSettings> {
  if (!network) return {};
  const { clusterDomain } = network;
  return { clusterDNS: dnsAddresses(network.serviceCidrs), ...(clusterDomain && { clusterDomain }) };
}
