import { type Node, type Pod, refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components: { scheduler: false } });
});
afterEach(() => cluster.stop());

const nodes = () => cluster.client.resource(refs.nodes);
const pods = () => cluster.client.resource(refs.pods, 'default');
const leases = () => cluster.client.resource(refs.leases, 'kube-node-lease');

async function addNode(name: string): Promise<void> {
  const time = formatTime(cluster.clock.now());
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: time, lastTransitionTime: time };
  await nodes().create({ metadata: { name }, status: { conditions: [ready] } });
  await leases().create({ metadata: { name }, spec: { holderIdentity: name, renewTime: microTime() } });
}

function microTime(): string {
  return formatTime(cluster.clock.now()).replace('Z', '.000000Z');
}

/** Lets time pass, in which only these nodes renew their leases. */
async function pass(seconds: number, alive: readonly string[]): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    for (const name of alive) await leases().patch(name, { spec: { renewTime: microTime() } }, { type: 'merge' });
    await cluster.clock.advance('10s');
  }
}

async function runPod(name: string, nodeName: string): Promise<Pod> {
  const pod = await pods().create({ metadata: { name }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }] } });
  const conditions = [{ type: 'Ready', status: 'True' }];
  return pods().updateStatus({ ...pod, status: { phase: 'Running', conditions } });
}

const taintsOf = ({ spec }: Node) => (spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`);

async function podOrNothing(name: string): Promise<Pod | undefined> {
  return pods()
    .get(name)
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
}

describe('the node lifecycle', () => {
  test('a node that is ready loses the taint that it was made with', async () => {
    await addNode('a');
    await cluster.settled();
    expect(taintsOf(await nodes().get('a'))).toEqual([]);
  });

  test('a node that has not reported yet keeps its pods, until it should have', async () => {
    for (const name of ['b', 'c']) await addNode(name);
    await nodes().create({ metadata: { name: 'a' } });
    await pass(50, ['b', 'c']);
    expect(taintsOf(await nodes().get('a'))).toEqual([]);

    await pass(30, ['b', 'c']);
    expect(taintsOf(await nodes().get('a')).sort()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  test('a node that stops answering loses its pods after five minutes and more', async () => {
    await addNode('a');
    await addNode('b');
    await runPod('p', 'a');
    await pass(30, ['a', 'b']);
    await pass(60, ['b']);
    const silent = await nodes().get('a');
    expect(silent.status?.conditions?.[0]).toMatchObject({
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    expect(taintsOf(silent).sort()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    expect((await pods().get('p')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    expect(taintsOf(await nodes().get('b'))).toEqual([]);

    await pass(270, ['b']);
    expect((await podOrNothing('p'))?.metadata.deletionTimestamp).toBeUndefined();
    await pass(60, ['b']);
    const going = await podOrNothing('p');
    expect(going?.metadata.deletionTimestamp).toBeDefined();
    expect(going?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    const events = await cluster.client.resource(refs.events, 'default').list();
    expect(events.items.map(({ reason }) => reason)).toContain('TaintManagerEviction');
  });

  test('a node that comes back in time keeps its pods', async () => {
    await addNode('a');
    await addNode('b');
    await runPod('p', 'a');
    await pass(90, ['b']);
    const node = await nodes().get('a');
    const time = formatTime(cluster.clock.now());
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: time, lastTransitionTime: time };
    await nodes().updateStatus({ ...node, status: { conditions: [ready] } });
    await pass(600, ['a', 'b']);
    expect(taintsOf(await nodes().get('a'))).toEqual([]);
    expect((await pods().get('p')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('NL-27a when every node is silent nobody loses anything', async () => {
    await addNode('a');
    await addNode('b');
    await runPod('p', 'a');
    await pass(900, []);
    expect(taintsOf(await nodes().get('a'))).toEqual(['unreachable:NoSchedule']);
    expect((await pods().get('p')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('a pod that does not bear a taint that somebody sets goes at once', async () => {
    await addNode('a');
    await addNode('b');
    await runPod('p', 'a');
    await cluster.settled();
    await nodes().patch('a', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } }, { type: 'merge' });
    await cluster.settled();
    expect((await podOrNothing('p'))?.metadata.deletionTimestamp).toBeDefined();
  });
});
