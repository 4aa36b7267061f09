import { type Job, type Pod, refs } from '@coracle/api';
import { type FaultRates, type Faults, hardFaults } from '@coracle/testing';
import { expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../packages/cluster/src/index.js';
import { imageOf, isReady, isStaying, makeDeployment } from '../integration/workloads.js';
import { faultySeams } from './faulty-seams.js';
import { insist } from './insist.js';

const second = 1_000;
const minute = 60 * second;
const lostNode = 'coracle-node-2';

const job: Job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'count', namespace: 'default' },
  spec: {
    completions: 4,
    parallelism: 2,
    backoffLimit: 100,
    template: {
      metadata: { annotations: { 'simulation.coracle.dev/exit-after': '5s' } },
      spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: 'counter' }] },
    },
  },
};

/** A cluster with faults at all its seams, the store included, which are off at first. */
async function startFaulty(seed: number): Promise<{ readonly cluster: Cluster; readonly faults: Faults }> {
  const made: Faults[] = [];
  const cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 3,
    seed,
    wrap: (deps) => {
      const { faults, seams } = faultySeams(deps, { seed, rates: hardFaults });
      made.push(faults);
      faults.stop();
      return seams;
    },
  });
  const [faults] = made;
  if (!faults) throw new Error('the cluster has not asked for its wrappers');
  await cluster.settled();
  return { cluster, faults };
}

/** A rollout, a Job, and a node that stops answering and is removed; then time to get over it, without faults. */
async function workload(cluster: Cluster, faults: Faults): Promise<void> {
  const deployments = cluster.client.resource(refs.deployments, 'default');
  const options = { fieldManager: 'test', force: true };
  const deploy = (image: string, replicas: number) =>
    insist(cluster, () => deployments.apply(makeDeployment({ image, replicas }), options));
  await deploy('app:1', 4);
  await cluster.clock.advance(10 * second);
  await insist(cluster, () => cluster.client.resource(refs.jobs, 'default').apply(job, options));
  await cluster.clock.advance(20 * second);
  await deploy('app:2', 6);
  await cluster.clock.advance(30 * second);
  await cluster.nodes.stopNode(lostNode);
  await cluster.clock.advance(minute);
  faults.stop();
  // Its pods have been evicted by then, but they do not count as ended until the node is removed.
  await cluster.clock.advance(8 * minute);
  await cluster.client.resource(refs.nodes).delete(lostNode);
  await cluster.clock.advance(8 * minute);
}

/** The visible state of the cluster, without random names and times. */
async function stateOf({ client, nodes }: Cluster) {
  const pods = (await client.resource(refs.pods, 'default').list()).items.filter(isStaying);
  const { status: web } = await client.resource(refs.deployments, 'default').get('web');
  const { status: count } = await client.resource(refs.jobs, 'default').get('count');
  const all = (await client.resource(refs.nodes).list()).items;
  return {
    pods: pods
      .filter((pod) => imageOf(pod) !== 'counter')
      .map(described)
      .sort(),
    web: { ready: web?.readyReplicas, updated: web?.updatedReplicas, all: web?.replicas },
    job: { succeeded: count?.succeeded, active: count?.active ?? 0, conditions: typesOf(count?.conditions) },
    nodes: all.map(({ metadata, status }) => `${metadata.name} ${typesOf(status?.conditions).includes('Ready')}`),
    sandboxes: await Promise.all(
      nodes.names.filter((name) => name !== lostNode).map((name) => strays(nodes, name, pods)),
    ),
  };
}

function described(pod: Pod): string {
  const place = pod.spec?.nodeName === lostNode ? 'on the lost node' : 'elsewhere';
  return `${imageOf(pod)} ${pod.status?.phase} ${isReady(pod) ? 'ready' : 'not ready'} ${place}`;
}

function typesOf(conditions: readonly { readonly type: string; readonly status: string }[] | undefined): string[] {
  return (conditions ?? []).filter(({ status }) => status === 'True').map(({ type }) => type);
}

/** The sandboxes that a node runs for pods that do not exist. */
async function strays(nodes: Cluster['nodes'], name: string, pods: readonly Pod[]): Promise<string[]> {
  const answer = await nodes.runtimeOf(name)?.listPodSandbox({ filter: { state: { state: 0 } } });
  const podUids = new Set(pods.map(({ metadata }) => metadata.uid));
  return (answer?.items ?? []).map(({ metadata }) => metadata?.uid ?? '').filter((uid) => !podUids.has(uid));
}

test.each([1, 2, 3, 4])(
  'under severe faults at every seam a cluster reaches the same state as without (seed %i)',
  { timeout: 300_000 },
  async (seed) => {
    const plain = await startFaulty(seed);
    await workload(plain.cluster, plain.faults);
    const expected = await stateOf(plain.cluster);
    await plain.cluster.stop();
    expect(expected).toMatchObject({
      pods: Array.from({ length: 6 }, () => 'app:2 Running ready elsewhere'),
      web: { ready: 6, updated: 6, all: 6 },
      job: { succeeded: 4, active: 0, conditions: ['SuccessCriteriaMet', 'Complete'] },
      nodes: ['coracle-node-1 true', 'coracle-node-3 true'],
      sandboxes: [[], []],
    });

    const { cluster, faults } = await startFaulty(seed);
    faults.start();
    await workload(cluster, faults);
    expect(await stateOf(cluster)).toEqual(expected);
    for (const kind of Object.keys(hardFaults) as (keyof FaultRates)[]) expect(faults.counts[kind]).toBeGreaterThan(0);
    await cluster.stop();
  },
);
