import { startCluster } from '@coracle/cluster';
import { isReady, makeDeployment } from './workloads.js';

/**
 * Prints how long it took, in milliseconds: a Deployment of three from start to stop, a client's first answer, the loss
 * of a node.
 */
async function runDeployment(): Promise<number> {
  const startedAt = processorMs();
  const cluster = await startCluster({ listen: false, clock: 'virtual' });
  await cluster.client.deployments('default').create(makeDeployment({ replicas: 3 }));
  await cluster.settled();
  const { items } = await cluster.client.pods('default').list();
  await cluster.stop();
  if (items.filter(isReady).length !== 3) throw new Error('not all pods are ready');
  return processorMs() - startedAt;
}

async function firstAnswer(): Promise<number> {
  const startedAt = processorMs();
  await using cluster = await startCluster({ listen: false, nodes: 0 });
  await cluster.client.namespaces().get('default');
  return processorMs() - startedAt;
}

/**
 * From the moment that a node stops to that at which its pods run elsewhere: more than five minutes of the cluster's
 * time.
 */
async function nodeFailure(): Promise<number> {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 3 });
  await cluster.client.deployments('default').create(makeDeployment({ replicas: 6 }));
  await cluster.settled();
  await cluster.nodes.stopNode('coracle-node-2');
  const startedAt = processorMs();
  await cluster.clock.advance('6m30s');
  const took = processorMs() - startedAt;
  const { items } = await cluster.client.pods('default').list();
  const elsewhere = items.filter((pod) => isReady(pod) && pod.spec?.nodeName !== 'coracle-node-2');
  if (elsewhere.length !== 6) throw new Error('not all pods run elsewhere');
  return took;
}

/** Processor time: the real time on an otherwise idle machine, independent of other load. Nothing here waits. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The first runs include loading and compiling the code, so the best one counts. */
async function best(work: () => Promise<number>): Promise<number> {
  await work();
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 15; run++) shortest = Math.min(shortest, await work());
  return Math.round(shortest);
}

const deployment = await best(runDeployment);
const client = await best(firstAnswer);
const lostNode = await best(nodeFailure);
process.stdout.write(JSON.stringify({ deployment, client, lostNode }));
