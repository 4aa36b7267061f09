import { type Job, type Pod, type ReplicaSet, refs, type StatefulSet } from '@coracle/api';
import { type Random, randomInt } from '@coracle/base';
import type { Cluster } from '@coracle/cluster';
import { makeDeployment } from '../workloads.js';

/** One change that a user makes. */
type Step = (cluster: Cluster) => Promise<unknown>;

const deployments = 4;

/** The same steps for the same seed: deployments that come, grow and get new images; jobs; stateful sets with volumes. */
export function stepsOf(random: Random, count: number): Step[] {
  const setups = Array.from({ length: deployments }, (_, index): Step => {
    const shape = makeDeployment({ name: `web-${index}`, replicas: 2 + randomInt(random, 3) });
    return ({ client }) => client.deployments('default').create(shape);
  });
  const changes = Array.from({ length: count - deployments }, (_, index) => change(random, index));
  return [...setups, ...changes];
}

function change(random: Random, index: number): Step {
  const name = `web-${randomInt(random, deployments)}`;
  switch (index % 4) {
    case 0:
      return ({ client }) => client.jobs('default').create(makeJob(`job-${index}`));
    case 1:
      return ({ client }) => client.resource(refs.statefulSets, 'default').create(makeStatefulSet(`set-${index}`));
    case 2:
      return ({ client }) =>
        client.deployments('default').patch(name, { spec: { replicas: 2 + (index % 5) } }, { type: 'merge' });
    default: {
      const template = { spec: { containers: [{ name: 'web', image: `nginx:${index}` }] } };
      return ({ client }) => client.deployments('default').patch(name, { spec: { template } }, { type: 'strategic' });
    }
  }
}

function makeJob(name: string): Job {
  const annotations = { 'simulation.coracle.dev/exit-after': '3s' };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app' }] };
  return {
    metadata: { name },
    spec: { completions: 3, parallelism: 2, template: { metadata: { annotations }, spec } },
  };
}

function makeStatefulSet(name: string): StatefulSet {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: 2,
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  } as StatefulSet;
}

/** The final state of the workload, without random names and times. */
export async function finalState({ client }: Cluster): Promise<unknown> {
  const [sets, replicaSets, statefulSets, jobs, pods, claims, volumes] = await Promise.all([
    client.deployments('default').list(),
    client.resource<ReplicaSet>(refs.replicaSets, 'default').list(),
    client.resource<StatefulSet>(refs.statefulSets, 'default').list(),
    client.jobs('default').list(),
    client.pods('default').list(),
    client.resource(refs.persistentVolumeClaims, 'default').list(),
    client.resource(refs.persistentVolumes).list(),
  ]);
  const { length } = volumes.items;
  return {
    deployments: sets.items.map(({ metadata, status }) => [metadata.name, status?.replicas, status?.availableReplicas]),
    replicaSets: sorted(replicaSets.items.map(({ metadata, spec }) => `${metadata.name} ${spec?.replicas}`)),
    statefulSets: statefulSets.items.map(({ metadata, status }) => [metadata.name, status?.availableReplicas]),
    jobs: jobs.items.map(({ metadata, status }) => [metadata.name, status?.succeeded, status?.failed]),
    pods: sorted(pods.items.map((pod) => `${ownerOf(pod)} ${pod.status?.phase}`)),
    claims: claims.items.map(({ metadata, status }) => [metadata.name, status?.phase]),
    volumes: { length, bound: new Set(volumes.items.map(({ spec }) => spec?.claimRef?.uid)).size },
  };
}

export function ownerOf({ metadata }: Pod): string {
  return metadata.ownerReferences?.[0]?.name ?? '';
}

function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}
