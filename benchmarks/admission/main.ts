// What webhooks and policies cost a request that none of them is about: processor time of a write without any, with 50
// webhooks and 50 policies for other resources, and with as many for its resource in other namespaces. The servers are
// in this process and take turns, so that load on the machine meets all of them alike.
// usage: npm run bench admission -- [--rounds 60] [--requests 500] [--limit 3]
import { parseArgs } from 'node:util';
import { configure, type Setup, setups } from './configurations.js';
import { startServer, type WritingServer } from './writing-server.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    requests: { type: 'string', default: '500' },
    /** Per cent that those for other resources may add. */
    limit: { type: 'string', default: '3' },
  },
});
const rounds = Number(values.rounds);
const requests = Number(values.requests);

interface Contender {
  readonly setup: Setup;
  readonly server: WritingServer;
  /** Microseconds a request, one figure a round. */
  readonly figures: number[];
}

const contenders: Contender[] = [];
for (const setup of setups) {
  const server = await startServer();
  await configure(server, setup);
  contenders.push({ setup, server, figures: [] });
}

// The first round does not count: code is compiled in it.
for (const { server } of contenders) await server.write(requests);
for (let round = 0; round < rounds; round++)
  for (let turn = 0; turn < contenders.length; turn++) {
    const { server, figures } = contenders[(round + turn) % contenders.length] as Contender;
    figures.push(await cpuOf(server));
  }

const alone = middle(contenders[0]?.figures ?? []);
for (const { setup, figures } of contenders) {
  const cost = middle(figures);
  const added = (cost / alone - 1) * 100;
  console.log(
    `${setup.name}: ${cost.toFixed(1)} µs of processor a request (${added >= 0 ? '+' : ''}${added.toFixed(1)} %)`,
  );
  if (setup.isHeldToLimit && added > Number(values.limit)) {
    console.log(`  more than the ${values.limit} % that it may add`);
    process.exitCode = 1;
  }
}

async function cpuOf(server: WritingServer): Promise<number> {
  const before = process.cpuUsage();
  await server.write(requests);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

/** The mean of the middle half: a garbage collection that falls into a round does not count. */
function middle(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  const middle = sorted.slice(quarter, sorted.length - quarter);
  return middle.reduce((sum, one) => sum + one, 0) / middle.length;
}
