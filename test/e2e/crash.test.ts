import { rmSync } from 'node:fs';
import type { Deployment, Pod, ReplicaSet } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { randomInt, seededRandom } from '@coracle/base';
import type { Client } from '@coracle/client';
import { afterAll, expect, test } from 'vitest';
import { imageOf, isReady, isStaying, makeDeployment } from '../integration/workloads.js';
import { clientOf } from './client-of.js';
import { RunningCluster, temporaryDirectory } from './running-cluster.js';
import { untilDeployment } from './until-deployment.js';

const rounds = 10;
const replicas = 40;

const dataDir = temporaryDirectory();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test(`a rollout that is interrupted ${rounds} times by SIGKILL completes: no pod twice, nothing orphaned`, async () => {
  const random = seededRandom(20260101);
  const image = (round: number) => `nginx:${round}`;
  for (let round = 0; round < rounds; round++) {
    await using cluster = await RunningCluster.start({ dataDir, flags: ['--nodes', '3'] });
    await using connection = await clientOf(cluster.kubeconfig);
    await rollOut(connection.client, image(round));
    // In the middle: some pods of the new revision are there, and not all of them.
    const enough = 1 + randomInt(random, replicas - 1);
    await until(connection.client, ({ status }) => (status?.updatedReplicas ?? 0) >= enough);
    await cluster.kill();
  }

  await using cluster = await RunningCluster.start({ dataDir, flags: ['--nodes', '3'] });
  await using connection = await clientOf(cluster.kubeconfig);
  await until(connection.client, isComplete);
  const { items: sets } = await connection.client.replicaSets('default').list();
  const { items: pods } = await connection.client.pods('default').list();
  const staying = pods.filter(isStaying);
  expect(staying.map(imageOf)).toEqual(Array.from({ length: replicas }, () => image(rounds - 1)));
  expect(staying.filter(isReady)).toHaveLength(replicas);
  expect(new Set(staying.map(({ status }) => status?.podIP)).size).toBe(replicas);
  expect(ownerless(pods, sets)).toEqual([]);
  expect(sets.map(imageOfSet).sort()).toEqual(Array.from({ length: rounds }, (_, round) => image(round)).sort());
}, 120_000);

async function rollOut(client: Client, image: string): Promise<void> {
  await client
    .deployments('default')
    .apply(makeDeployment({ replicas, image }), { fieldManager: 'crash-test', force: true });
}

async function until(client: Client, holds: (deployment: Deployment) => boolean): Promise<void> {
  await untilDeployment(client, (deployment) => isObserved(deployment) && holds(deployment), { timeoutMs: 30_000 });
}

function isObserved({ metadata, status }: Deployment): boolean {
  return status?.observedGeneration === metadata.generation;
}

function isComplete({ status }: Deployment): boolean {
  const { updatedReplicas, availableReplicas, replicas: all } = status ?? {};
  return updatedReplicas === replicas && availableReplicas === replicas && all === replicas;
}

/** Objects whose owner does not exist. */
function ownerless(pods: readonly Pod[], sets: readonly ReplicaSet[]): string[] {
  const owners = new Set(sets.map(({ metadata }) => metadata.uid));
  const isOwned = ({ metadata }: KubeObject) => metadata.ownerReferences?.some(({ uid }) => owners.has(uid)) ?? false;
  return pods.filter((pod) => !isOwned(pod)).map(({ metadata }) => metadata.name ?? '');
}

function imageOfSet({ spec }: ReplicaSet): string {
  return spec?.template?.spec?.containers[0]?.image ?? '';
}
