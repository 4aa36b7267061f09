import { type Node, type Pod, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeNode, type NodeParts } from './builders.fixture.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  await cluster.settled();
});
afterEach(() => cluster.stop());

async function addNode(name: string, parts: NodeParts = {}): Promise<void> {
  await cluster.client.resource<Node>(refs.nodes).create(makeNode(name, parts));
  await cluster.settled();
}

async function addPod(name: string, spec: Partial<Pod['spec'] & object> = {}, cpu = '1'): Promise<Pod> {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'app', image: 'app', resources: { requests: { cpu } } }], ...spec },
  };
  await cluster.client.resource<Pod>(refs.pods, 'default').create(pod);
  await cluster.settled();
  return get(name);
}

function get(name: string): Promise<Pod> {
  return cluster.client.resource<Pod>(refs.pods, 'default').get(name);
}

async function nodeOf(name: string): Promise<string | undefined> {
  return (await get(name)).spec?.nodeName;
}

function scheduledOf({ status }: Pod) {
  const { status: value, reason, message } = status?.conditions?.find(({ type }) => type === 'PodScheduled') ?? {};
  return { status: value, reason, message };
}

async function eventsOf(name: string): Promise<(string | undefined)[][]> {
  await cluster.settled();
  const { items } = await cluster.client.resource(refs.events, 'default').list();
  return (items as { involvedObject?: { name?: string }; reason?: string; message?: string }[])
    .filter(({ involvedObject }) => involvedObject?.name === name)
    .map(({ reason, message }) => [reason, message]);
}

describe('a pod that fits', () => {
  test('is bound, with a condition and an event (SCH-69)', async () => {
    await addNode('a');
    const pod = await addPod('web');

    expect({ node: pod.spec?.nodeName, condition: scheduledOf(pod).status, events: await eventsOf('web') }).toEqual({
      node: 'a',
      condition: 'True',
      events: [['Scheduled', 'Successfully assigned default/web to a']],
    });
  });

  test('of another scheduler is ignored', async () => {
    await addNode('a');

    expect((await addPod('web', { schedulerName: 'mine' })).spec?.nodeName).toBeUndefined();
  });
});

describe('a pod that does not fit', () => {
  test('reports that there are no nodes', async () => {
    expect(scheduledOf(await addPod('web'))).toEqual({
      status: 'False',
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    });
  });

  test('SCH-70 reports the reason in its condition and in an event', async () => {
    await addNode('a', { unschedulable: true });
    const pod = await addPod('web');

    const message =
      '0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, ' +
      'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
    expect({ condition: scheduledOf(pod), events: await eventsOf('web') }).toEqual({
      condition: { status: 'False', reason: 'Unschedulable', message },
      events: [['FailedScheduling', message]],
    });
  });

  const waking: { name: string; node: NodeParts; spec?: object; change: () => Promise<unknown> }[] = [
    {
      name: 'a node that is opened again',
      node: { unschedulable: true },
      change: () => patchNode({ spec: { unschedulable: null } }),
    },
    {
      name: 'a node that gets a label',
      node: {},
      spec: { nodeSelector: { disk: 'ssd' } },
      change: () => patchNode({ metadata: { labels: { disk: 'ssd' } } }),
    },
    {
      name: 'a node that loses a taint',
      node: { taints: [{ key: 'k', effect: 'NoSchedule' }] },
      change: () => patchNode({ spec: { taints: null } }),
    },
    {
      name: 'a node that gets more to give',
      node: { allocatable: { cpu: '500m' } },
      change: () =>
        cluster.client
          .resource(refs.nodes)
          .patch('a', { status: { allocatable: { cpu: '2' } } }, { type: 'merge', subresource: 'status' }),
    },
    { name: 'a new node', node: { unschedulable: true }, change: () => addNode('b') },
    {
      name: 'a toleration of its own',
      node: { taints: [{ key: 'k', effect: 'NoSchedule' }] },
      change: () =>
        cluster.client
          .resource(refs.pods, 'default')
          .patch('web', { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } }, { type: 'strategic' }),
    },
  ];

  test.each(waking)('is woken by $name (SCH-92)', async ({ node, spec, change }) => {
    await addNode('a', node);
    expect((await addPod('web', spec)).spec?.nodeName).toBeUndefined();

    await change();
    await cluster.settled();
    expect(await nodeOf('web')).toBeDefined();
  });

  test('is requeued when a pod is deleted', async () => {
    await addNode('a');
    await addPod('first', {}, '4');
    expect((await addPod('second', {}, '4')).spec?.nodeName).toBeUndefined();

    await cluster.client.resource(refs.pods, 'default').delete('first', { gracePeriodSeconds: 0 });
    await cluster.settled();
    expect(await nodeOf('second')).toBe('a');
  });

  test('writes its condition once, after any number of attempts', async () => {
    await addNode('a', { unschedulable: true });
    const before = (await addPod('web')).metadata.resourceVersion;
    await cluster.clock.advance('11m');

    expect((await get('web')).metadata.resourceVersion).toBe(before);
  });

  test('is forgotten when it is deleted', async () => {
    await addPod('web');
    await cluster.client.resource(refs.pods, 'default').delete('web');
    await addNode('a');

    await expect(get('web')).rejects.toThrow('not found');
    expect(await eventsOf('web')).toHaveLength(1);
  });

  test('SCH-71 may be bound by another client', async () => {
    await addNode('a', { unschedulable: true });
    await addPod('web');
    await cluster.client.resource(refs.pods, 'default').createSubresource('web', 'binding', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'web' },
      target: { kind: 'Node', name: 'a' },
    });
    await cluster.clock.advance('10m');

    expect(await get('web')).toMatchObject({ spec: { nodeName: 'a' } });
    expect(scheduledOf(await get('web')).status).toBe('True');
  });
});

test('a gated pod has the reason SchedulingGated and is scheduled when its gates are removed', async () => {
  await addNode('a');
  const pod = await addPod('web', { schedulingGates: [{ name: 'example.com/wait' }] });
  expect({ node: pod.spec?.nodeName, condition: scheduledOf(pod), events: await eventsOf('web') }).toEqual({
    node: undefined,
    condition: {
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
    events: [],
  });

  await cluster.client
    .resource(refs.pods, 'default')
    .patch('web', { spec: { schedulingGates: null } }, { type: 'merge' });
  await cluster.settled();
  expect(await nodeOf('web')).toBe('a');
});

describe('preemption', () => {
  async function addClass(name: string, value: number, preemptionPolicy?: string): Promise<void> {
    await cluster.client.resource(refs.priorityClasses).create({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      ...(preemptionPolicy && { preemptionPolicy }),
    } as never);
  }

  test('SCH-104 a pod of higher priority gets a nominated node, and its victim the reason of its preemption', async () => {
    await addNode('a');
    await addClass('high', 1000);
    await addPod('victim', {}, '4');
    await addPod('vip', { priorityClassName: 'high' }, '4');

    const victim = await get('victim');
    expect({
      leaving: victim.metadata.deletionTimestamp !== undefined,
      target: victim.status?.conditions?.find(({ type }) => type === 'DisruptionTarget'),
      nominated: (await get('vip')).status?.nominatedNodeName,
      message: scheduledOf(await get('vip')).message,
    }).toMatchObject({
      leaving: true,
      target: {
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      },
      nominated: 'a',
      message: '0/1 nodes are available: 1 Insufficient cpu.',
    });
    const vip = await get('vip');
    expect(await eventsOf('victim')).toContainEqual(['Preempted', `Preempted by pod ${vip.metadata.uid} on node a`]);

    await cluster.client.resource(refs.pods, 'default').delete('victim', { gracePeriodSeconds: 0 });
    // An attempt in progress may have sent it into backoff.
    await cluster.clock.advance('15s');
    expect(await nodeOf('vip')).toBe('a');
  });

  test('SCH-99 the resources are reserved meanwhile, and there is no second victim', async () => {
    await addNode('a');
    await addClass('high', 1000);
    await addPod('victim', {}, '3');
    await addPod('bystander', {}, '1');
    await addPod('vip', { priorityClassName: 'high' }, '3');
    await addPod('late', {}, '2');
    await cluster.clock.advance('10s');
    expect((await get('bystander')).metadata.deletionTimestamp).toBeUndefined();

    await cluster.client.resource(refs.pods, 'default').delete('victim', { gracePeriodSeconds: 0 });
    // An attempt in progress may have sent it into backoff.
    await cluster.clock.advance('15s');
    expect([await nodeOf('vip'), await nodeOf('late')]).toEqual(['a', undefined]);
  });

  test('SCH-99 a class may forbid it', async () => {
    await addNode('a');
    await addClass('polite', 1000, 'Never');
    await addPod('victim', {}, '4');
    const pod = await addPod('vip', { priorityClassName: 'polite' }, '4');

    expect(scheduledOf(pod).message).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ' +
        'preemption: not eligible due to preemptionPolicy=Never.',
    );
    expect((await get('victim')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('pods of equal priority are not preempted', async () => {
    await addNode('a');
    await addPod('first', {}, '4');

    expect(scheduledOf(await addPod('second', {}, '4')).message).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ' +
        'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
  });
});

test('a nomination by another component reserves the resources until it is changed or removed', async () => {
  await addNode('a');
  await addNode('b');
  await addPod('expected', { nodeSelector: { zone: 'new' } }, '3');
  const nominate = async (node: string | null) => {
    const patch = { status: { nominatedNodeName: node } };
    await cluster.client
      .resource(refs.pods, 'default')
      .patch('expected', patch as never, { type: 'merge', subresource: 'status' });
    await cluster.settled();
  };
  await nominate('a');
  expect(
    (await addPod('first', { nodeSelector: { 'kubernetes.io/hostname': 'a' } }, '2')).spec?.nodeName,
  ).toBeUndefined();
  await nominate('b');
  expect((await addPod('second', { nodeSelector: { 'kubernetes.io/hostname': 'a' } }, '2')).spec?.nodeName).toBe('a');
  expect(
    (await addPod('third', { nodeSelector: { 'kubernetes.io/hostname': 'b' } }, '2')).spec?.nodeName,
  ).toBeUndefined();
  await nominate(null);
  expect((await addPod('fourth', { nodeSelector: { 'kubernetes.io/hostname': 'b' } }, '2')).spec?.nodeName).toBe('b');
});

function patchNode(patch: object): Promise<unknown> {
  return cluster.client.resource(refs.nodes).patch('a', patch as never, { type: 'merge' });
}
