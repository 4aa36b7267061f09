/** `import { startCluster } from 'coracle'`: a cluster, clients and controllers for programs and tests on Node.js. */
import type { Cluster, ClusterOptions, ExtensionServer, ExtensionServerOptions } from '@coracle/cluster';

export type {
  Address,
  CertificateFiles,
  Cluster,
  ClusterClock,
  ClusterOptions,
  ExtensionServer,
  ExtensionServerOptions,
  NodeInfo,
  PodInfo,
  SchedulerPluginEntry,
  SchedulerPlugins,
  StoreChoice,
} from '@coracle/cluster';
export {
  createHttpTransport,
  createStderrLogger,
  createSystemRandom,
  discoveryFiles,
  type HttpTransportOptions,
  httpCacheFiles,
  inClusterConnection,
  loadConnection,
  loadKubeconfig,
  ownCertificates,
  serveHttp,
  serveWebhooks,
  stopSignal,
  systemClock,
} from '@coracle/platform-nodejs';
export * from './anywhere.js';

/** Starts a whole cluster in this process. It is loaded on first use: an operator needs the client alone. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await import('@coracle/cluster');
  return cluster.startCluster(options);
}

/** Starts your own API server behind a cluster's, for an APIService. */
export async function startExtensionServer(options: ExtensionServerOptions): Promise<ExtensionServer> {
  const cluster = await import('@coracle/cluster');
  return cluster.startExtensionServer(options);
}
