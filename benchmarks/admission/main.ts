// What 50 webhooks and 50 policies cost a write that none of them is about: processor time of a write with them against
// that of one without any, on the same server, in short batches that take turns. Where the objects of a server lie in
// memory moves its figures by more than what is measured here, so servers are not compared with each other; each sitting
// has a new one. Before every batch all of them are installed and removed once, so that the same writes precede it
// whatever it measures.
// usage: npm run bench admission -- [--sittings 5] [--pairs 40] [--requests 300] [--limit 3]
import { parseArgs } from 'node:util';
import { install, remove, type Setup, setups } from './configurations.js';
import { confidenceInterval, median } from './statistics.js';
import { startServer, type WritingServer } from './writing-server.js';

const { values } = parseArgs({
  options: {
    sittings: { type: 'string', default: '5' },
    pairs: { type: 'string', default: '40' },
    requests: { type: 'string', default: '300' },
    /** Per cent that they may add. */
    limit: { type: 'string', default: '3' },
  },
});
const [sittings, pairs, requests] = [Number(values.sittings), Number(values.pairs), Number(values.requests)];

/** Per cent that each setup added in each pair. */
const added = new Map<Setup, number[]>(setups.map((setup) => [setup, []]));
/** Of writes without any, in microseconds. */
const costs: number[] = [];
for (let sitting = 0; sitting < sittings; sitting++)
  for (const [setup, percents] of added) percents.push(...(await sit(setup)));

console.log(`a write without webhooks and policies: ${median(costs).toFixed(1)} µs of processor time`);
for (const [setup, percents] of added) {
  const [low, high] = confidenceInterval(percents);
  const middle = median(percents);
  console.log(
    `${setup.name}: ${signed(middle)} % (95 % confidence: ${signed(low)} to ${signed(high)} %; median of ${percents.length} pairs)`,
  );
  if (setup.isControl || middle <= Number(values.limit)) continue;
  console.log(`  more than the ${values.limit} % that it may be`);
  process.exitCode = 1;
}

/** Per cent that the setup added in each pair of batches on one server. */
async function sit(setup: Setup): Promise<number[]> {
  await using server = await startServer();
  const percents: number[] = [];
  // The first pair does not count: code is compiled in it.
  for (let pair = -1; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [false, true] : [true, false];
    const figures = new Map<boolean, number>();
    for (const isWith of order) figures.set(isWith, await measure(server, setup, isWith));
    const [without, cost] = [figures.get(false) as number, figures.get(true) as number];
    if (pair < 0) continue;
    costs.push(without);
    percents.push((cost / without - 1) * 100);
  }
  return percents;
}

async function measure(server: WritingServer, setup: Setup, isWith: boolean): Promise<number> {
  const staysInstalled = isWith && !setup.isControl;
  await install(server, setup);
  if (!staysInstalled) await remove(server, setup);
  // What may match is looked up once.
  await server.write(requests / 10);
  const cost = await cpuOfBatch(server);
  if (staysInstalled) await remove(server, setup);
  return cost;
}

async function cpuOfBatch(server: WritingServer): Promise<number> {
  const before = process.cpuUsage();
  await server.write(requests);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

function signed(percent: number): string {
  return `${percent >= 0 ? '+' : ''}${percent.toFixed(1)}`;
}
