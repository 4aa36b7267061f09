// Two hours of an autoscaler on the virtual clock, as a test has them: a load curve, the replica counts that follow it, and
// how long that takes. Fails if the counts are not those of the documented algorithm, or a run takes more than a second.
// usage: npm run bench autoscaling -- [--runs 3]
import { parseArgs } from 'node:util';
import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';

const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
const limitSeconds = 1;
const minute = 60_000;

/** CPUs that all pods use together, from so many minutes on. */
const loadCurve = [
  { from: 0, cores: 0.5 },
  { from: 10, cores: 4 },
  { from: 40, cores: 2 },
  { from: 80, cores: 8 },
  { from: 100, cores: 0.2 },
] as const;
const replicaCounts = [1, 4, 8, 4, 8, 12, 1];

async function createWorkload({ client }: Cluster): Promise<void> {
  const labels = { app: 'web' };
  const containers = [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '1' } } }];
  await client.resource(refs.deployments, 'default').create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  const target = { type: 'Utilization', averageUtilization: 50 };
  await client.resource(refs.horizontalPodAutoscalers, 'default').create({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 12,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  });
}

async function followLoad(cluster: Cluster): Promise<readonly number[]> {
  const start = cluster.clock.now();
  let running = 1;
  cluster.nodes.setUsage(({ now }) => {
    const { cores } = loadCurve.findLast(({ from }) => now - start >= from * minute) ?? loadCurve[0];
    return { cpu: `${Math.round((cores / running) * 1000)}m`, memory: '32Mi' };
  });
  const seen: number[] = [];
  for (let passed = 0; passed < 120 * minute; passed += 15_000) {
    await cluster.clock.advance(15_000);
    const { spec, status } = await cluster.client.resource(refs.deployments, 'default').get('web');
    running = status?.readyReplicas ?? 1;
    const replicas = spec?.replicas ?? 0;
    if (replicas !== seen.at(-1)) seen.push(replicas);
  }
  return seen;
}

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
