import { refs } from '@coracle/api';
import type { Cluster } from '@coracle/cluster';

const minute = 60_000;

/** CPUs that all pods use together, from so many minutes on. */
const loadCurve = [
  { from: 0, cores: 0.5 },
  { from: 10, cores: 4 },
  { from: 40, cores: 2 },
  { from: 80, cores: 8 },
  { from: 100, cores: 0.2 },
] as const;

/**
 * With a target of 500m a pod: ceil(4 / 0.5) = 8, but in one step not more than 4 or twice as many; ceil(2 / 0.5) = 4
 * when five minutes have passed without a higher recommendation; at most 12 of the 16 that 8 CPUs need.
 */
export const replicaCounts = [1, 4, 8, 4, 8, 12, 1];

/** A Deployment and an autoscaler for it, with a target of half a CPU a pod. */
export async function createWorkload({ client }: Cluster): Promise<void> {
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

/** Lets two hours pass; the replica counts, one after the other. */
export async function followLoad(cluster: Cluster): Promise<readonly number[]> {
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
