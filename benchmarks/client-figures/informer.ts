// A program: prints what a hundred thousand pods cost an informer in the process of the server.
import { refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { serverWithPods } from '../fixtures/server-with-pods.js';
import { stopwatch } from './stopwatch.js';

const count = 100_000;
const { client, clock, random } = await serverWithPods(count);

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
  if (heardAt === 0) throw new Error('the handler was not called');
  latencies.push(heardAt - sent);
}
latencies.sort((a, b) => a - b);
await informers[Symbol.asyncDispose]();
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
console.log(JSON.stringify({ sync, addedMb, residentMb: before + addedMb, median: at(0.5), p99: at(0.99) }));
