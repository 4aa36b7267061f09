import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RunningCluster } from './running-cluster.js';

/** Of each thread of a process, how far it gives way to others. */
function nicenessOf(pid: number): Map<number, number> {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return new Map(
    threads.map((thread) => {
      const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return [thread, Number(fields[16])];
    }),
  );
}

test('the threads that compile and collect give way to the one that serves', async () => {
  await using cluster = await RunningCluster.start({ flags: ['--nodes', '0', '--store', 'memory'] });
  const { pid = 0 } = cluster.process;
  const niceness = nicenessOf(pid);
  const own = niceness.get(pid) ?? 0;
  expect([...niceness.values()].filter((other) => other === Math.min(own + 10, 19))).toHaveLength(5);
});
