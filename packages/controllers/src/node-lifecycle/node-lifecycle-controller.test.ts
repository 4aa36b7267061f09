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

/** Advances the clock while only these nodes renew their leases. */
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

async function nodeEvents(name: string): Promise<unknown[]> {
  const { items } = await cluster.client.resource(refs.events, 'default').list();
  return items
    .filter(({ involvedObject: about }) => about.kind === 'Node' && about.name === name)
    .sort((a, b) => ((a.firstTimestamp ?? '') < (b.firstTimestamp ?? '') ? -1 : 1))
    .map(({ reason, message, involvedObject }) => [reason, message, involvedObject.uid]);
}

async function podOrNothing(name: string): Promise<Pod | undefined> {
  return pods()
    .get(name)
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
}

describe('the node lifecycle', () => {
  test('a node that becomes ready loses its initial taint', async () => {
    await addNode('a');
    await cluster.settled();
    expect(taintsOf(await nodes().get('a'))).toEqual([]);
  });

  test('a node that has not reported yet keeps its pods for the startup grace period', async () => {
    for (const name of ['b', 'c']) await addNode(name);
    await nodes().create({ metadata: { name: 'a' } });
    await pass(50, ['b', 'c']);
    expect(taintsOf(await nodes().get('a'))).toEqual([]);

    await pass(30, ['b', 'c']);
    expect(taintsOf(await nodes().get('a')).sort()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  test('a node without heartbeats loses its pods after more than five minutes', async () => {
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

  test('a node that recovers in time keeps its pods', async () => {
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

  test('NL-27a when every node is unreachable no pod is evicted', async () => {
    await addNode('a');
    await addNode('b');
    await runPod('p', 'a');
    await pass(900, []);
    expect(taintsOf(await nodes().get('a'))).toEqual(['unreachable:NoSchedule']);
    expect((await pods().get('p')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('NL-22 reports added and deleted nodes, by their uid', async () => {
    await addNode('a');
    const { uid } = (await nodes().get('a')).metadata;
    await pass(10, ['a']);
    await nodes().delete('a');
    await pass(10, []);
    expect(await nodeEvents('a')).toEqual([
      ['RegisteredNode', 'Node a event: Registered Node a in Controller', uid],
      ['RemovingNode', 'Node a event: Removing Node a from Controller', uid],
    ]);
  });

  test('NL-23 an unreachable node becomes NotReady, with one event', async () => {
    for (const name of ['a', 'b']) await addNode(name);
    await pass(120, ['b']);
    expect(await nodeEvents('a')).toEqual([
      ['RegisteredNode', 'Node a event: Registered Node a in Controller', expect.any(String)],
      ['NodeNotReady', 'Node a status is now: NodeNotReady', expect.any(String)],
    ]);
  });

  test('NL-25 a node that reports that it is not ready gets the not-ready taint, and the unreachable taint without heartbeats', async () => {
    for (const name of ['a', 'b']) await addNode(name);
    const node = await nodes().get('a');
    const time = formatTime(cluster.clock.now());
    const ready = { type: 'Ready', status: 'False', lastHeartbeatTime: time, lastTransitionTime: time };
    await nodes().updateStatus({ ...node, status: { conditions: [ready] } });
    await pass(20, ['a', 'b']);
    expect(taintsOf(await nodes().get('a')).sort()).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
    await pass(70, ['b']);
    expect(taintsOf(await nodes().get('a')).sort()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  test('NL-2 in a small cluster that has lost most of its nodes no pod is evicted', async () => {
    const lost = ['a', 'b', 'c'];
    for (const name of [...lost, 'd', 'e']) await addNode(name);
    await pass(300, ['d', 'e']);
    const tainted = await Promise.all(lost.map(async (name) => taintsOf(await nodes().get(name))));
    // All three stopped at once: the zone was disrupted before the first one was tainted.
    expect(tainted.flat().filter((taint) => taint === 'unreachable:NoExecute')).toEqual([]);
  });

  test('NL-27b when the first node of a disconnected cluster recovers, the grace period of the others restarts', async () => {
    for (const name of ['a', 'b', 'c']) await addNode(name);
    await runPod('p', 'a');
    await pass(300, []);
    const node = await nodes().get('b');
    const time = formatTime(cluster.clock.now());
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: time, lastTransitionTime: time };
    await nodes().updateStatus({ ...node, status: { conditions: [ready] } });
    await pass(20, ['b']);
    expect(taintsOf(await nodes().get('b'))).toEqual([]);
    expect((await podOrNothing('p'))?.metadata.deletionTimestamp).toBeUndefined();
    await pass(30, ['b']);
    expect(taintsOf(await nodes().get('a')).sort()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  test('NL-17 a pod that is created on a node without heartbeats is not ready', async () => {
    for (const name of ['a', 'b']) await addNode(name);
    await pass(120, ['b']);
    await runPod('late', 'a');
    await cluster.settled();
    expect((await pods().get('late')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    const { items } = await cluster.client.resource(refs.events, 'default').list();
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' }),
    );
  });

  test('NL-11c a cancelled deletion is reported in an event, and the pod stays', async () => {
    await addNode('a');
    const bears = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute' });
    const tolerations = [{ ...bears('x'), tolerationSeconds: 60 }, bears('y')];
    await pods().create({
      metadata: { name: 'p' },
      spec: { nodeName: 'a', containers: [{ name: 'c', image: 'i' }], tolerations },
    });
    for (const key of ['x', 'y']) {
      await nodes().patch('a', { spec: { taints: [{ key, effect: 'NoExecute' }] } }, { type: 'merge' });
      await cluster.settled();
    }
    await pass(90, ['a']);
    expect((await pods().get('p')).metadata.deletionTimestamp).toBeUndefined();
    const { items } = await cluster.client.resource(refs.events, 'default').list();
    expect(
      items
        .filter(({ reason }) => reason === 'TaintManagerEviction')
        .map(({ message, source, reportingComponent }) => [message, source?.component, reportingComponent]),
    ).toEqual([['Cancelling deletion of Pod default/p', 'taint-eviction-controller', 'taint-eviction-controller']]);
  });

  test('a pod that does not tolerate a new NoExecute taint is deleted at once', async () => {
    await addNode('a');
    await addNode('b');
    await runPod('p', 'a');
    await cluster.settled();
    await nodes().patch('a', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } }, { type: 'merge' });
    await cluster.settled();
    expect((await podOrNothing('p'))?.metadata.deletionTimestamp).toBeDefined();
  });
});
