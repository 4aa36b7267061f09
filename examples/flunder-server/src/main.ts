import {
  createClient,
  createHttpTransport,
  createStderrLogger,
  loadConnection,
  ownCertificates,
  startExtensionServer,
  stopSignal,
  systemClock,
} from 'coracle';
import { crd } from './flunder.js';

const folder = process.env['CERT_DIR'] ?? '/tmp/flunder-server';
const transport = await createHttpTransport({ connection: await loadConnection() });
const certificates = ownCertificates({ folder, clock: systemClock, dnsNames: ['api.wardle.svc'] });
await using server = await startExtensionServer({
  crds: [crd],
  client: createClient({ transport }),
  certificate: await certificates.current(),
  port: 8443,
  logger: createStderrLogger({ level: 'info' }),
});
// The CA bundle of the APIService.
console.log(`serving on port ${server.port}\n${await certificates.authority()}`);
await new Promise((resolve) => stopSignal().addEventListener('abort', resolve));
