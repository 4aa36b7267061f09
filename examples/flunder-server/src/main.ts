import {
  createClient,
  createHttpTransport,
  createStderrLogger,
  loadConnection,
  startExtensionServer,
  stopSignal,
} from 'coracle';
import { certificates } from './certificates.js';
import { crd } from './flunder.js';

const transport = await createHttpTransport({ connection: await loadConnection() });
await using server = await startExtensionServer({
  crds: [crd],
  client: createClient({ transport }),
  certificate: await certificates.current(),
  port: 8443,
  logger: createStderrLogger({ level: 'info' }),
});
console.log(`serving on port ${server.port}`);
await new Promise((resolve) => stopSignal().addEventListener('abort', resolve));
