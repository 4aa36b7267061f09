/** `import { startCluster } from 'coracle'`: a cluster, clients and controllers for programs and tests on Node.js. */
export { refs } from '@coracle/api';
export { StatusError } from '@coracle/apimachinery';
export { silentLogger } from '@coracle/base';
export * from '@coracle/client';
export * from '@coracle/cluster';
export * from '@coracle/controller-runtime';
export {
  createHttpTransport,
  createStderrLogger,
  createSystemRandom,
  inClusterConnection,
  loadConnection,
  serveHttp,
  serveWebhooks,
  stopSignal,
  systemClock,
} from '@coracle/platform-nodejs';
