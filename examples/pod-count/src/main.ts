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
import { addPodCountController } from './pod-count.js';

const transport = await createHttpTransport({ connection: await loadConnection() });
const manager = createManager({
  client: createClient({ transport }),
  clock: systemClock,
  random: createSystemRandom(),
  logger: createStderrLogger({ level: 'info' }),
  name: 'pod-count',
  serve: { metrics: serveHttp({ port: 8080 }), health: serveHttp({ port: 8081 }) },
});
addPodCountController(manager);
await manager.start(stopSignal());
