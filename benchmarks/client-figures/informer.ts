// A program: prints what a hundred thousand pods cost an informer in the process of the server.
import { refs } from '@coracle/api';
import { createApiServer } from '@coracle/apiserver';
import { noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createClient, createInformers } from '@coracle/client';
import { createMemoryStore } from '@coracle/store';
import { stopwatch } from './stopwatch.js';

const count = 100_000;
const user = { name: 'bench', groups: ['system:masters'] };
const clock = new VirtualClock();
const random = seededRandom(1);
const server = await createApiServer({
  store: await createMemoryStore({ clock }),
  clock,
  random,
  logger: silentLogger,
  metrics: noMetrics,
  tracer: noTracer,
  authenticators: () => [{ name: 'bench', authenticate: () => ({ user }) }],
  authorizer: () => ({ name: 'AlwaysAllow', authorize: () => ({ kind: 'allow', reason: '' }) }),
  admission: () => [],
});
const client = createClient({ transport: { exchange: server.exchange }, user });
const spec = { containers: [{ name: 'app', image: 'registry.example/app:1' }] };
for (let i = 0; i < count; i++)
  await client.pods(`ns-${i % 100}`).create({ metadata: { name: `pod-${i}`, labels: { app: 'web' } }, spec });

const resident = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1e6;
};
const before = resident();
const informers = createInformers({ client, clock, random, logger: silentLogger });
let heardAt = 0;
const pods = informers.for(refs.pods);
pods.addHandler(() => void (heardAt = performance.now()));
const taken = stopwatch();
informers.start();
await informers.synced();
const sync = taken();
if (pods.list().length !== count) throw new Error(`${pods.list().length} pods in the informer`);
const addedMb = resident() - before;

/** From the call of a patch to the handler, the write included. */
const latencies: number[] = [];
for (let i = 0; i < 2_000; i++) {
  heardAt = 0;
  const patch = { metadata: { labels: { round: String(i) } } };
  const sent = performance.now();
  await client.pods(`ns-${i % 100}`).patch(`pod-${i}`, patch, { type: 'merge' });
  if (heardAt === 0) await clock.settle();
  if (heardAt === 0) throw new Error('the handler was not told');
  latencies.push(heardAt - sent);
}
latencies.sort((a, b) => a - b);
await informers[Symbol.asyncDispose]();
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
console.log(JSON.stringify({ sync, addedMb, residentMb: before + addedMb, median: at(0.5), p99: at(0.99) }));
