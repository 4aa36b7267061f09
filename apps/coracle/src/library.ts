/** `import { startCluster } from 'coracle'`: a cluster, clients and controllers for programs and tests on Node.js. */
export * from '@coracle/cluster';
export {
  createHttpTransport,
  createStderrLogger,
  createSystemRandom,
  discoveryFiles,
  type HttpTransportOptions,
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
