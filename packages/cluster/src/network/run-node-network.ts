import { Activity, DisposableStack, type Logger, PrometheusMetrics } from '@coracle/base';
import { type Client, createClient, createInformers } from '@coracle/client';
import {
  createCriClient,
  createHttpTransport,
  createSystemRandom,
  loadConnection,
  systemClock,
} from '@coracle/platform-nodejs';
import { cniDirectories } from './cni-directories.js';
import { startNodeNetwork } from './node-network.js';
import { pluginBundle } from './plugin-bundle.js';
import { type PublishedNetwork, readPublishedNetwork } from './published-network.js';

/** Connects the node to the API server with its own credentials. */
export interface NetworkConnection {
  readonly kubeconfig: string;
  readonly logger: Logger;
}

/** This machine, and its network. */
export interface RunNodeNetworkOptions extends NetworkConnection {
  readonly nodeName: string;
  readonly criEndpoint: string;
  /** Directory of leases. */
  readonly leaseDir: string;
  readonly network: PublishedNetwork;
}

/** The network that this machine would join; `undefined` if the cluster publishes none. */
export async function findPublishedNetwork(options: NetworkConnection): Promise<PublishedNetwork | undefined> {
  await using parts = new DisposableStack();
  return readPublishedNetwork(await connect(options, parts));
}

/**
 * Connects the pods of this machine to those of the cluster that it has joined, and serves services to them. Names are
 * served by the node of the control plane, and so are Ingresses and Gateways: both need more rights than nodes have.
 */
export async function runNodeNetwork(options: RunNodeNetworkOptions): Promise<AsyncDisposable> {
  const { criEndpoint, network, logger } = options;
  const parts = new DisposableStack();
  try {
    const client = await connect(options, parts);
    const shared = {
      clock: systemClock,
      random: createSystemRandom(),
      logger,
      metrics: new PrometheusMetrics(),
      activity: new Activity(),
    };
    const informers = parts.use(createInformers({ ...shared, client }));
    using cri = createCriClient({ endpoint: criEndpoint });
    const directories = await cniDirectories(cri.runtime);
    const own = { ...options, ...network, ...directories, servesNames: false, pluginBundle: pluginBundle() };
    parts.use(await startNodeNetwork({ ...shared, ...own, client, informers }));
    informers.start();
    return parts;
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

async function connect({ kubeconfig, logger }: NetworkConnection, parts: DisposableStack): Promise<Client> {
  const connection = await loadConnection({ path: kubeconfig });
  const transport = parts.use(await createHttpTransport({ connection, logger, http2: true }));
  return createClient({ transport, userAgent: 'coracle-network' });
}
