import { type Deployment, type Job, type ReplicaSet, refs } from '@coracle/api';
import { keyOf } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ControllerContext } from './controller.js';
import { syncDeployment } from './deployment/sync-deployment.js';
import { assessJob } from './job/assess-job.js';
import type { JobWork } from './job/job-work.js';
import { trackJob } from './job/track-job.js';
import { saveStatus } from './save-status.js';
import { replicatedSpec } from './workloads.fixture.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components: { controllers: false } });
});
afterAll(() => cluster.stop());

const context = () =>
  ({ client: cluster.client, clock: cluster.clock }) as Partial<ControllerContext> as ControllerContext;

test('a deployment that has been deleted needs no status', async () => {
  const deployments = cluster.client.resource<Deployment>(refs.deployments, 'default');
  const spec = { ...replicatedSpec(1, 'v1'), paused: true };
  const deployment = await deployments.create({ metadata: { name: 'web' }, spec });
  await deployments.delete('web');
  const sync = { deployment, replicaSets: [], podsOf: () => [], context: context() };
  await expect(syncDeployment(sync)).resolves.toBeUndefined();
});

test('a job that has been deleted needs no status, and its pods are not counted', async () => {
  const jobs = cluster.client.resource<Job>(refs.jobs, 'default');
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const job = await jobs.create({ metadata: { name: 'j' }, spec: { template } });
  await jobs.delete('j', { propagationPolicy: 'Background' });
  const assessment = assessJob({ job, pods: [], released: new Set(), now: cluster.clock.now() });
  const work = { context: context(), released: new Map() } as Partial<JobWork> as JobWork;
  let isCounted = false;
  const onCounted = () => {
    isCounted = true;
  };
  const status = { startTime: '2026-01-01T00:00:00Z' };
  await trackJob({ key: keyOf(job), work }, { original: job, assessment, status, verdict: undefined, onCounted });
  expect(isCounted).toBe(false);
});

test('an object that has been deleted after a conflict needs no status', async () => {
  const sets = cluster.client.resource<ReplicaSet>(refs.replicaSets, 'default');
  const object = await sets.create({ metadata: { name: 'web' }, spec: replicatedSpec(1, 'v1') });
  const status = { replicas: 1 };
  const { client } = cluster;
  const conflicting: ControllerContext['client'] = Object.create(client, {
    resource: {
      value: (...args: Parameters<typeof client.resource>) => {
        const resource = client.resource(...args);
        return Object.create(resource, {
          // Another writer writes first, and deletes the object before it is read again.
          updateStatus: {
            value: (stale: ReplicaSet) => resource.updateStatus(stale).finally(() => sets.delete('web')),
          },
          get: { value: (name: string) => resource.get(name) },
        });
      },
    },
  });
  await sets.patch('web', { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
  await expect(saveStatus({ ...context(), client: conflicting }, refs.replicaSets, { object, status })).resolves.toBe(
    undefined,
  );
});
