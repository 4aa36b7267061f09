import { type Node, type Pod, refs, type schedulingv1alpha2 } from '@coracle/api';
import { type Cluster, FeatureGates, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';

type Spec = Partial<schedulingv1alpha2.PodGroupSpec>;

const rack = 'example.com/rack';
let cluster: Cluster;
/** Capacity of a node in millicores. */
let whole = 0;

beforeEach(async () => {
  cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 4,
    runtimeConfig: { 'scheduling.k8s.io/v1alpha2': true },
    features: new FeatureGates({
      GenericWorkload: true,
      GangScheduling: true,
      TopologyAwareWorkloadScheduling: true,
      WorkloadAwarePreemption: true,
    }),
  });
  const nodes = (await cluster.client.nodes().list()).items;
  whole = Number(nodes[0]?.status?.allocatable?.cpu) * 1000;
  // Two racks of two nodes.
  for (const [index, { metadata }] of nodes.entries())
    await cluster.client.nodes().patch(metadata.name ?? '', labelled(index < 2 ? 'a' : 'b'), { type: 'merge' });
  for (const [name, value] of [
    ['low', 10],
    ['high', 1000],
  ] as const)
    await cluster.client.resource(refs.priorityClasses).create({ metadata: { name }, value });
  // Kubelets read their own nodes periodically.
  await cluster.clock.advance('1m');
});
afterEach(() => cluster.stop());

function labelled(value: string): Partial<Node> {
  return { metadata: { labels: { [rack]: value } } };
}

async function addGroup(name: string, minCount: number, spec: Spec = {}): Promise<void> {
  const group = { metadata: { name }, spec: { schedulingPolicy: { gang: { minCount } }, ...spec } };
  await cluster.client.resource(refs.podGroups, 'default').create(group as schedulingv1alpha2.PodGroup);
}

const inOneRack: Spec = { schedulingConstraints: { topology: [{ key: rack }] } };

/** Each pod requests a part of a node. */
async function addPods(name: string, count: number, share: number, spec: Partial<Pod['spec']> = {}): Promise<void> {
  const requests = { cpu: `${Math.floor(whole * share)}m` };
  for (let index = 0; index < count; index++)
    await cluster.client.pods('default').create({
      metadata: { name: `${name}-${index}`, labels: { app: name } },
      spec: { containers: [{ name: 'app', image: 'app', resources: { requests } }], ...spec },
    } as Pod);
  await cluster.clock.advance('20s');
}

function member(podGroupName: string): Partial<Pod['spec']> {
  return { schedulingGroup: { podGroupName } };
}

async function racksOf(name: string): Promise<string> {
  const racks = new Map(
    (await cluster.client.nodes().list()).items.map((node) => [node.metadata.name, node.metadata.labels?.[rack]]),
  );
  const { items } = await cluster.client.pods('default').list({ labelSelector: `app=${name}` });
  return items.map(({ spec }) => (spec?.nodeName ? racks.get(spec.nodeName) : '-')).join('');
}

async function conditionOf(name: string): Promise<object | undefined> {
  const group = await cluster.client.resource(refs.podGroups, 'default').get(name);
  return group.status?.conditions?.find(({ type }) => type === 'PodGroupScheduled');
}

async function messageOf(name: string): Promise<string | undefined> {
  const pod = await cluster.client.pods('default').get(name);
  return pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
}

test('all pods of a group go to one domain of its topology', async () => {
  await addGroup('ring', 4, inOneRack);
  await addPods('ring', 4, 0.4, member('ring'));
  expect(['aaaa', 'bbbb']).toContain(await racksOf('ring'));
  expect(await conditionOf('ring')).toMatchObject({ status: 'True', reason: 'Scheduled' });
});

test('a domain that some of the pods run in takes the others too', async () => {
  await addGroup('ring', 1, inOneRack);
  await addPods('ring', 1, 0.4, member('ring'));
  const first = await racksOf('ring');
  await addPods('filler', 6, 0.4);
  await addPods('ring-more', 1, 0.1, member('ring'));
  expect(await racksOf('ring-more')).toBe(first);
});

test('the fuller of two domains is used', async () => {
  await addPods('filler', 1, 0.5, { nodeSelector: { [rack]: 'b' } });
  await addGroup('ring', 2, inOneRack);
  await addPods('ring', 2, 0.4, member('ring'));
  expect(await racksOf('ring')).toBe('bb');
});

test('a group that fits into no single domain waits, and is scheduled when one has room', async () => {
  await addPods('a', 1, 0.7, { nodeSelector: { [rack]: 'a' } });
  await addPods('b', 1, 0.7, { nodeSelector: { [rack]: 'b' } });
  await addGroup('ring', 4, inOneRack);
  await addPods('ring', 4, 0.4, member('ring'));
  expect(await racksOf('ring')).toBe('----');
  expect(await conditionOf('ring')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message:
      '0/2 placements are available, first placement status: pod group is unschedulable, workload aware preemption is not supported for pod groups with scheduling constraints',
  });
  expect(await messageOf('ring-0')).toBe('waiting for minCount pods from a gang to be scheduled');
  expect(await messageOf('ring-3')).toMatch(
    /^0\/2 nodes are available: .*placement-based pod group scheduling limitation/,
  );
  await cluster.client.pods('default').delete('a-0');
  await cluster.clock.advance('1m');
  expect(await racksOf('ring')).toBe('aaaa');
});

test('a group without any domain waits for a node with the label', async () => {
  await addGroup('ring', 1, { schedulingConstraints: { topology: [{ key: 'example.com/block' }] } });
  await addPods('ring', 1, 0.1, member('ring'));
  expect(await conditionOf('ring')).toMatchObject({ reason: 'Unschedulable' });
  const [node] = (await cluster.client.nodes().list()).items;
  const labels = { metadata: { labels: { 'example.com/block': '1' } } };
  await cluster.client.nodes().patch(node?.metadata.name ?? '', labels, { type: 'merge' });
  await cluster.clock.advance('20s');
  expect((await cluster.client.pods('default').get('ring-0')).spec?.nodeName).toBe(node?.metadata.name);
});

test('preemption makes room for the whole group, and a victim group is evicted as a whole', async () => {
  // One pod of this group on every node; only two of them need to be preempted.
  await addGroup('victims', 4, { disruptionMode: 'PodGroup', priorityClassName: 'low' });
  await addPods('victims', 4, 0.6, member('victims'));
  await addPods('single', 2, 0.1);
  await addGroup('large', 2, { priorityClassName: 'high' });
  await addPods('large', 2, 0.8, member('large'));
  await cluster.clock.advance('2m');
  expect(await racksOf('large')).not.toContain('-');
  expect(await racksOf('victims')).toBe('');
  expect(await racksOf('single')).not.toContain('-');
  const { uid } = (await cluster.client.resource(refs.podGroups, 'default').get('large')).metadata;
  const events = (await cluster.client.resource(refs.events, 'default').list()).items;
  const preempted = events.filter(({ reason }) => reason === 'Preempted').map(({ message }) => message);
  expect(new Set(preempted)).toEqual(new Set([`Preempted by podgroup ${uid} on node cluster`]));
});

test('pods of a victim group in pod mode are spared if not needed', async () => {
  await addGroup('victims', 4, { priorityClassName: 'low' });
  await addPods('victims', 4, 0.6, member('victims'));
  await addGroup('large', 2, { priorityClassName: 'high' });
  await addPods('large', 2, 0.8, member('large'));
  await cluster.clock.advance('2m');
  expect(await racksOf('large')).not.toContain('-');
  expect(await racksOf('victims')).toHaveLength(2);
});

test('no pod is preempted if the group would still not fit', async () => {
  await addGroup('victims', 4, { disruptionMode: 'PodGroup', priorityClassName: 'low' });
  await addPods('victims', 4, 0.6, member('victims'));
  await addGroup('large', 5, { priorityClassName: 'high' });
  await addPods('large', 5, 0.8, member('large'));
  await cluster.clock.advance('2m');
  expect(await racksOf('victims')).toHaveLength(4);
  expect(await conditionOf('large')).toMatchObject({ reason: 'Unschedulable' });
});

test('a group is kept while it has pods', async () => {
  await addGroup('kept', 1);
  await addPods('kept', 1, 0.1, member('kept'));
  const groups = cluster.client.resource(refs.podGroups, 'default');
  await groups.delete('kept');
  await cluster.clock.advance('10s');
  expect((await groups.get('kept')).metadata.deletionTimestamp).toBeDefined();
  await cluster.client.pods('default').delete('kept-0');
  await cluster.clock.advance('1m');
  expect((await groups.list()).items).toEqual([]);
});

test('a group names a template that exists', async () => {
  const reference = { podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } } };
  await expect(addGroup('g', 1, reference)).rejects.toThrow('PodGroup rejected: Workload "w" not found');
  await cluster.client.resource(refs.workloads, 'default').create({
    metadata: { name: 'w' },
    spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { basic: {} } }] },
  });
  await addGroup('g', 1, reference);
  await expect(
    addGroup('h', 1, { podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 'u' } } }),
  ).rejects.toThrow('PodGroup rejected: PodGroupTemplate "u" not found in Workload "w"');
});
