// Two hours of an autoscaler on the virtual clock, as a test has them: a load curve, the replica counts that follow it, and
// how long that takes. Fails if the counts are not those of the documented algorithm, or a run takes more than a second.
// usage: npm run bench autoscaling -- [--runs 3]
import { parseArgs } from 'node:util';
import { startCluster } from '@coracle/cluster';
import { createWorkload, followLoad, replicaCounts } from '../../test/integration/autoscaling-scenario.js';

const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
const limitSeconds = 1;

for (let run = 1; run <= Number(options.runs); run++) {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  await createWorkload(cluster);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const seen = await followLoad(cluster);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1_000_000;
  console.log(`run ${run}: ${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU; replicas ${seen.join(', ')}`);
  if (seen.join() !== replicaCounts.join()) throw new Error(`the documented algorithm has ${replicaCounts.join(', ')}`);
  if (seconds > limitSeconds) process.exitCode = 1;
}
