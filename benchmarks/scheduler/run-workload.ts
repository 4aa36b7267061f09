import { type Pod, refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { Deferred, seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { systemClock } from '@coracle/platform-nodejs';
import {
  claimTemplate,
  csiNodeObject,
  deviceClass,
  nodeObject,
  podObject,
  priorityClasses,
  sliceObject,
  volumeObjects,
} from './objects.js';
import type { Churn, PodBatch, Workload } from './workloads.js';

export interface Figures {
  readonly podsPerSecond: number;
  /** Processor time of everything: API server, store, scheduler and the client that creates the pods. */
  readonly cpuMsPerPod: number;
}

/** Number of concurrent requests. */
const connections = 64;

/** Runs a workload on a separate cluster, in this process, with nodes that run nothing. */
export async function runWorkload(workload: Workload): Promise<Figures> {
  const { controllers } = workload;
  await using cluster = await startCluster({
    listen: false,
    nodes: 0,
    // No controller would remove the taint from the nodes again.
    admission: { disable: ['TaintNodesByCondition'] },
    components: { controllers: controllers !== undefined },
    ...(controllers && { controllerManager: { enabled: controllers } }),
  });
  await prepare(cluster, workload);
  await using placed = countPlaced(cluster);
  const { before, measured } = workload;
  if (before) {
    await createVolumes(cluster, before, 'before');
    await createPods(cluster, before, 'before');
    await placed.until(before.count);
  }
  await createVolumes(cluster, measured, 'measured');
  using _churn = workload.churn ? churn(cluster, workload.churn) : undefined;
  const earlier = placed.count;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await createPods(cluster, measured, 'measured');
  await placed.until(earlier + measured.count);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { podsPerSecond: measured.count / seconds, cpuMsPerPod: (user + system) / 1_000 / measured.count };
}

async function prepare(cluster: Cluster, workload: Workload): Promise<void> {
  const { client } = cluster;
  const make = (ref: ResourceRef<KubeObject>, object: object, namespace?: string) =>
    client.resource(ref, namespace).create(object as KubeObject);
  for (const name of ['sched-0', 'sched-1']) await make(refs.namespaces, { metadata: { name } });
  for (const namespace of ['default', 'sched-0', 'sched-1'])
    await make(refs.serviceAccounts, { metadata: { name: 'default' } }, namespace).catch(() => undefined);
  for (const one of priorityClasses) await make(refs.priorityClasses, one);
  if (workload.devices) {
    await make(refs.deviceClasses, deviceClass);
    await make(refs.resourceClaimTemplates, claimTemplate, 'default');
  }
  await inParallel(workload.nodes, async (index) => {
    await make(refs.nodes, nodeObject(workload, index));
    await make(refs.csiNodes, csiNodeObject(index));
    if (workload.devices) await make(refs.resourceSlices, sliceObject(workload, index));
  });
}

async function createPods(cluster: Cluster, batch: PodBatch, prefix: string): Promise<void> {
  const { namespace = 'default', count } = batch;
  const pods = cluster.client.resource<Pod>(refs.pods, namespace);
  await inParallel(count, (index) => pods.create(podObject(batch, `${prefix}-${index}`) as Pod));
}

/** Volumes of pods are made first: they are no part of what is measured. */
async function createVolumes(cluster: Cluster, batch: PodBatch, prefix: string): Promise<void> {
  const { namespace = 'default', count, template } = batch;
  if (template === 'volume') await inParallel(count, (index) => createVolume(cluster, `${prefix}-${index}`, namespace));
}

async function createVolume({ client }: Cluster, name: string, namespace: string): Promise<void> {
  const { volume, claim } = volumeObjects(name, namespace);
  const volumes = client.resource<KubeObject>(refs.persistentVolumes);
  const claims = client.resource<KubeObject>(refs.persistentVolumeClaims, namespace);
  const bound = { status: { phase: 'Bound' } };
  const made = await claims.create(claim as object as KubeObject);
  await claims.updateStatus({ ...made, ...bound } as KubeObject);
  const created = await volumes.create(volume(made.metadata.uid ?? '') as object as KubeObject);
  await volumes.updateStatus({ ...created, ...bound } as KubeObject);
}

async function inParallel(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

/** Counts pods that have got a node, without those of a churn. */
function countPlaced({ client, activity }: Cluster) {
  const informers = createInformers({
    client,
    clock: systemClock,
    random: seededRandom(1),
    logger: silentLogger,
    activity,
  });
  let count = 0;
  let waiting: { readonly at: number; readonly reached: Deferred<void> } | undefined;
  const handler = informers.for<Pod>(refs.pods).addHandler((event) => {
    const isPlaced = event.type === 'updated' && event.object.spec?.nodeName && !event.previous.spec?.nodeName;
    if (!isPlaced || event.object.metadata.name?.startsWith(churnPrefix)) return;
    count++;
    if (waiting && count >= waiting.at) waiting.reached.resolve();
  });
  informers.start();
  return {
    get count() {
      return count;
    },
    until(at: number): Promise<void> {
      if (count >= at) return Promise.resolve();
      waiting = { at, reached: new Deferred<void>() };
      return waiting.reached.promise;
    },
    async [Symbol.asyncDispose]() {
      handler[Symbol.dispose]();
      await informers[Symbol.asyncDispose]();
    },
  };
}

const churnPrefix = 'churn';

function churn(cluster: Cluster, how: Churn): Disposable {
  if (how === 'recreate') return repeat(1_000, recreating(cluster));
  const pods = cluster.client.resource<KubeObject>(refs.pods, 'default');
  const batch: PodBatch = { count: 1, template: how };
  return repeat(200, (turn) => pods.create(podObject(batch, `${churnPrefix}-${turn}`)));
}

function repeat(everyMs: number, act: (turn: number) => Promise<unknown>): Disposable {
  let turn = 0;
  const timer = setInterval(() => {
    // The end of the workload may come in between.
    act(turn++).catch(() => undefined);
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function recreating({ client }: Cluster): (turn: number) => Promise<void> {
  const batch: PodBatch = { count: 1, template: 'high-priority-large-cpu' };
  const node = nodeObject({ name: '', nodes: 0, gate: 0, measured: batch }, 1_000_000);
  const service = { metadata: { name: churnPrefix }, spec: { ports: [{ port: 80 }], selector: { app: 'churn' } } };
  const objects = [
    [client.resource<KubeObject>(refs.nodes), node],
    [client.resource<KubeObject>(refs.pods, 'default'), podObject(batch, churnPrefix)],
    [client.resource<KubeObject>(refs.services, 'default'), service],
  ] as const;
  return async (turn) => {
    for (const [resource, object] of objects) {
      if (turn % 2 === 0) await resource.create(object as KubeObject);
      else await resource.delete((object as KubeObject).metadata.name ?? '');
    }
  };
}
