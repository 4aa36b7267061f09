import { randomUUID } from 'node:crypto';
import {
  createClient,
  createHttpTransport,
  createManager,
  createStderrLogger,
  createSystemRandom,
  loadConnection,
  serveHttp,
  stopSignal,
  systemClock,
} from 'coracle';
import { addWebsiteController, type HostNames } from './website-controller.js';

const host = process.env['LISTEN_HOST'] ?? '127.0.0.1';
const transport = await createHttpTransport({ connection: await loadConnection() });
const logger = createStderrLogger({ level: 'info' });
const manager = createManager({
  client: createClient({ transport }),
  clock: systemClock,
  random: createSystemRandom(),
  logger,
  name: 'website-operator',
  leaderElection: {
    lease: { namespace: process.env['POD_NAMESPACE'] ?? 'default', name: 'website-operator.example.org' },
    identity: randomUUID(),
    releaseOnStop: true,
  },
  serve: { metrics: serveHttp({ host, port: 8080 }), health: serveHttp({ host, port: 8081 }) },
});

/** Where a real operator would call its DNS provider. */
const hostNames: HostNames = {
  register: async (host) => logger.debug('Host name is ours', { host }),
  release: async (host) => logger.info('Host name is free again', { host }),
};

addWebsiteController(manager, { clock: systemClock, hostNames });
manager.addReadyCheck('caches', () => {
  if (!manager.cache.isSynced) throw new Error('caches are not complete');
});
await manager.start(stopSignal());
