import type { Pod } from '@coracle/api';
import { StatusError } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageOf, isReady, isStaying, makeDeployment } from './workloads.js';

const replicas = 2000;
const surge = 0.25 * replicas;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: Math.ceil(replicas / 50), seed: 1 });
});
afterAll(() => cluster.stop());

/** Follows a watch, and keeps the extremes of what was true after any event of it. */
class Bounds {
  readonly #pods = new Map<string, { readonly counts: boolean; readonly available: boolean }>();
  #total = 0;
  #available = 0;
  mostPods = 0;
  fewestAvailable = Number.POSITIVE_INFINITY;
  events = 0;

  take(type: string, object: Pod): void {
    const uid = object.metadata.uid as string;
    const before = this.#pods.get(uid);
    const now = type === 'DELETED' ? undefined : { counts: isStaying(object), available: isAvailable(object) };
    this.#total += Number(now?.counts ?? false) - Number(before?.counts ?? false);
    this.#available += Number(now?.available ?? false) - Number(before?.available ?? false);
    if (now) this.#pods.set(uid, now);
    else this.#pods.delete(uid);
    this.events++;
    this.mostPods = Math.max(this.mostPods, this.#total);
    this.fewestAvailable = Math.min(this.fewestAvailable, this.#available);
  }
}

function isAvailable(pod: Pod): boolean {
  return isReady(pod) && isStaying(pod);
}

test(`a rolling update of ${replicas} pods keeps its surge and availability bounds at every revision`, async () => {
  const pods = cluster.client.pods('default');
  const deployments = cluster.client.deployments('default');
  await deployments.create(makeDeployment({ replicas, maxSurge: '25%', maxUnavailable: '25%' }));
  await untilUpdated('nginx:1');
  const before = await pods.list();
  expect(before.items.filter(isAvailable)).toHaveLength(replicas);

  const bounds = new Bounds();
  for (const object of before.items) bounds.take('ADDED', object);
  bounds.fewestAvailable = replicas;
  let lastRevision = 0;
  using _watch = pods.openWatch(
    { resourceVersion: before.metadata.resourceVersion ?? '' },
    {
      event: (event) => {
        if (event.type === 'ERROR') throw new StatusError(event.object);
        bounds.take(event.type, event.object);
        lastRevision = Number(event.object.metadata.resourceVersion);
      },
      end: (error) => expect(error).toBeUndefined(),
    },
  );
  const patch = { spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } } } };
  await deployments.patch('web', patch, { type: 'strategic' });
  await untilUpdated('nginx:2');

  const after = await pods.list();
  expect(after.items.filter(isStaying).map(imageOf)).toEqual(Array.from({ length: replicas }, () => 'nginx:2'));
  expect(lastRevision).toBeGreaterThan(Number(before.metadata.resourceVersion));
  expect(bounds.mostPods).toBeLessThanOrEqual(replicas + surge);
  expect(bounds.fewestAvailable).toBeGreaterThanOrEqual(replicas - surge);
  // It did go to its limits: a rollout one by one would hold them too.
  expect(bounds.mostPods).toBe(replicas + surge);
}, 400_000);

async function untilUpdated(image: string): Promise<void> {
  for (let second = 0; second < 120; second++) {
    await cluster.clock.advance('1s');
    const { status, spec, metadata } = await cluster.client.deployments('default').get('web');
    const done =
      status?.updatedReplicas === replicas && status.availableReplicas === replicas && status.replicas === replicas;
    if (
      done &&
      status.observedGeneration === metadata.generation &&
      spec?.template.spec?.containers[0]?.image === image
    )
      return;
  }
  throw new Error(
    `the rollout of ${image} did not end: ${JSON.stringify((await cluster.client.deployments('default').get('web')).status)}`,
  );
}
