import type { Node, Pod } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PodGcView, planPodGc } from './plan-pod-gc.js';
import { Quarantine } from './quarantine.js';

const deletionTimestamp = '2026-01-01T00:00:00Z';

function pod(
  name: string,
  { node, phase, going, reason }: { node?: string; phase?: string; going?: boolean; reason?: string } = {},
): Pod {
  return {
    metadata: { name, creationTimestamp: deletionTimestamp, ...(going && { deletionTimestamp }) },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: { phase: phase ?? 'Running', ...(reason && { reason }) },
  };
}

function node(name: string, { ready = true, taint }: { ready?: boolean; taint?: string } = {}): Node {
  return {
    metadata: { name },
    spec: taint ? { taints: [{ key: taint, effect: 'NoExecute' }] } : {},
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

describe('OTH-6 planPodGc', () => {
  const lost = node('n', { ready: false, taint: 'node.kubernetes.io/out-of-service' });
  const cases: { name: string; view: Partial<PodGcView>; collected: string[] }[] = [
    {
      name: 'leaves pods alone that are well',
      view: { pods: [pod('a', { node: 'n' }), pod('b')], nodes: [node('n')] },
      collected: [],
    },
    {
      name: 'OTH-6 collects pods of nodes that are gone for good',
      view: { pods: [pod('a', { node: 'gone' })], vanishedNodes: new Set(['gone']) },
      collected: ['a orphaned'],
    },
    { name: 'waits for nodes that may come back', view: { pods: [pod('a', { node: 'gone' })] }, collected: [] },
    {
      name: 'leaves pods alone whose node has come back',
      view: { pods: [pod('a', { node: 'n' })], nodes: [node('n')], vanishedNodes: new Set(['n']) },
      collected: [],
    },
    {
      name: 'OTH-6 collects pods being deleted that no node has',
      view: { pods: [pod('a', { going: true }), pod('b', { going: true, node: 'n' })], nodes: [node('n')] },
      collected: ['a unscheduled'],
    },
    {
      name: 'collects pods being deleted of nodes that are out of service',
      view: { pods: [pod('a', { going: true, node: 'n' }), pod('b', { node: 'n' })], nodes: [lost] },
      collected: ['a out-of-service'],
    },
    {
      name: 'leaves them to the kubelet of a node that is ready',
      view: {
        pods: [pod('a', { going: true, node: 'n' })],
        nodes: [node('n', { taint: 'node.kubernetes.io/out-of-service' })],
      },
      collected: [],
    },
    {
      name: 'OTH-6 collects ended pods beyond the number that is kept, evicted ones first',
      view: {
        pods: [
          pod('a', { phase: 'Failed' }),
          pod('b', { phase: 'Failed', reason: 'Evicted' }),
          pod('c', { phase: 'Succeeded' }),
          pod('d'),
        ],
        terminatedThreshold: 1,
      },
      collected: ['b terminated', 'a terminated'],
    },
  ];

  test.each(cases)('$name', ({ view, collected }) => {
    const plan = planPodGc({ pods: [], nodes: [], vanishedNodes: new Set(), terminatedThreshold: 100, ...view });
    expect(plan.collect.map(({ pod: one, why }) => `${one.metadata.name} ${why}`)).toEqual(collected);
  });
});

test('Quarantine returns what has been missing all the time', () => {
  const quarantine = new Quarantine(40);
  expect(quarantine.update(['a', 'b'], 0)).toEqual([]);
  expect(quarantine.update(['a'], 20)).toEqual([]);
  expect(quarantine.update(['a', 'b'], 40)).toEqual(['a']);
});

describe('the pod garbage collector', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual', components: { scheduler: false } });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const names = async () => (await cluster.client.pods('default').list()).items.map(({ metadata }) => metadata.name);

  test('removes the pods of a node that was deleted, a minute later', async () => {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await cluster.client.pods('default').create({ metadata: { name: 'p', finalizers: ['example.com/look'] }, spec });
    await cluster.clock.advance('45s');
    expect((await cluster.client.pods('default').get('p')).status?.phase).toBe('Pending');

    await cluster.clock.advance('30s');
    const { metadata, status } = await cluster.client.pods('default').get('p');
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status?.phase).toBe('Failed');
    expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
    await cluster.client.pods('default').patch('p', { metadata: { finalizers: null } }, { type: 'merge' });
    expect(await names()).toEqual([]);
  });

  test('removes more pods than it deletes at once, in one pass', async () => {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    for (let i = 0; i < 50; i++) await cluster.client.pods('default').create({ metadata: { name: `p-${i}` }, spec });
    await cluster.clock.advance('75s');

    expect(await names()).toEqual([]);
  });
});
