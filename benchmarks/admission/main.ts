// What 50 webhooks and 50 policies cost a write that none of them is about: processor time of a write with them against
// that of one without any. Two servers of one process take turns after every few writes, so that whatever else the
// machine does meets both alike. Where the objects of a server lie in memory moves its figures by more than what is
// measured here: they exchange their roles, and what one of them is slower by cancels out. A server's figure is the
// lowest tenth of its turns: in most others the engine compiles or collects garbage, on other threads too, which is
// several times what is measured here and meets turns at random. Each sitting has new servers.
// usage: npm run bench admission -- [--sittings 5] [--rounds 4] [--requests 4000] [--limit 3]
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { install, remove, type Setup, setups } from './configurations.js';
import { confidenceInterval, median, quantile } from './statistics.js';
import { startServer, type WritingServer } from './writing-server.js';

const { values } = parseArgs({
  options: {
    sittings: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '4' },
    requests: { type: 'string', default: '4000' },
    /** Per cent that they may add. */
    limit: { type: 'string', default: '3' },
  },
});
const [sittings, rounds, requests] = [Number(values.sittings), Number(values.rounds), Number(values.requests)];
/** Writes to one server before it is the turn of the other: about a millisecond. */
const writesPerTurn = 25;
/** The quantile of a server's turns that is its figure. */
const undisturbed = 0.1;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Per cent that each setup added in each round. */
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
    `${setup.name}: ${signed(middle)} % (95 % confidence: ${signed(low)} to ${signed(high)} %; median of ${percents.length} rounds)`,
  );
  if (setup.isControl || middle <= Number(values.limit)) continue;
  console.log(`  more than the ${values.limit} % that it may be`);
  process.exitCode = 1;
}

/** Per cent that the setup added in each round on two servers. */
async function sit(setup: Setup): Promise<number[]> {
  await using first = await startServer();
  await using second = await startServer();
  const percents: number[] = [];
  // The first round does not count: code is compiled in it.
  for (let round = -1; round < rounds; round++) {
    const ratio = await compare(setup, first, second);
    const exchanged = await compare(setup, second, first);
    if (round >= 0) percents.push((Math.sqrt(ratio * exchanged) - 1) * 100);
  }
  return percents;
}

/** How much more a write costs on the server that has them than on the other. Both had them before. */
async function compare(setup: Setup, server: WritingServer, bare: WritingServer): Promise<number> {
  await install(bare, setup);
  await remove(bare, setup);
  await install(server, setup);
  if (setup.isControl) await remove(server, setup);
  const figures = await takeTurns(server, bare);
  if (!setup.isControl) await remove(server, setup);
  costs.push(figures.bare);
  return figures.server / figures.bare;
}

/** The cost of a write to each in undisturbed turns, in microseconds. */
async function takeTurns(server: WritingServer, bare: WritingServer): Promise<{ server: number; bare: number }> {
  // What may match is looked up once.
  for (const one of [server, bare]) await one.write(writesPerTurn);
  collectGarbage();
  const turns: { readonly server: number[]; readonly bare: number[] } = { server: [], bare: [] };
  for (let written = 0; written < requests; written += 2 * writesPerTurn) {
    turns.server.push(await cpuOfTurn(server));
    turns.bare.push(await cpuOfTurn(bare), await cpuOfTurn(bare));
    turns.server.push(await cpuOfTurn(server));
  }
  return { server: quantile(turns.server, undisturbed), bare: quantile(turns.bare, undisturbed) };
}

async function cpuOfTurn(server: WritingServer): Promise<number> {
  const before = process.cpuUsage();
  await server.write(writesPerTurn);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / writesPerTurn;
}

function signed(percent: number): string {
  return `${percent >= 0 ? '+' : ''}${percent.toFixed(1)}`;
}
