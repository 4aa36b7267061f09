import { type PodSpec, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const resource = 'example.com/fakecpu';
const containers = (count: string) => [
  { name: 'pause', image: 'pause:1', resources: { requests: { [resource]: count }, limits: { [resource]: count } } },
];
const onNode = (name: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
    },
  },
});

/** The steps of upstream's conformance tests of preemption: the resource is one that they advertise on nodes. */
describe('preemption as the conformance tests use it', () => {
  let cluster: Cluster;
  let nodes: string[] = [];
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
    await cluster.settled();
    nodes = (await cluster.client.nodes().list()).items.map(({ metadata }) => metadata.name ?? '');
    for (const [name, value] of Object.entries({ p1: 1, p2: 2, p3: 3, p4: 4 }))
      await cluster.client.resource(refs.priorityClasses).create({ metadata: { name }, value });
  });
  afterEach(() => cluster.stop());

  /** A patch as Go writes it from a Node that has only this: the rest of the status is cleared, and set again. */
  const advertise = async (node: string, amount: string) => {
    const nodeInfo = {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: '',
      kubeletVersion: '',
      architecture: '',
    };
    const amounts = { capacity: { [resource]: amount }, allocatable: { [resource]: amount } };
    const status = { ...amounts, daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo };
    const before = await cluster.client.nodes().get(node);
    const patch = { metadata: {}, spec: {}, status };
    await cluster.client.nodes().patch(node, patch, { type: 'strategic', subresource: 'status' });
    await cluster.clock.advance('20s');
    const { nodeInfo: info, allocatable } = (await cluster.client.nodes().get(node)).status ?? {};
    expect(info).toEqual(before.status?.nodeInfo);
    expect(allocatable).toHaveProperty([resource]);
  };
  interface PodOptions extends PodSpec {
    readonly count: string;
    readonly namespace?: string;
    readonly finalizers?: string[];
  }
  const run = async (name: string, priorityClassName: string, options: Omit<PodOptions, 'containers'>) => {
    const { namespace = 'default', count, finalizers = [], ...rest } = options;
    const spec = { priorityClassName, terminationGracePeriodSeconds: 1, containers: containers(count), ...rest };
    await cluster.client.pods(namespace).create({ metadata: { name, finalizers }, spec });
    await cluster.clock.advance('10s');
  };
  const phases = async (namespace: string) =>
    (await cluster.client.pods(namespace).list()).items.map(
      ({ metadata, status }) => `${metadata.name} ${status?.phase}`,
    );

  test.each([
    ['validates basic preemption works', 'p4', 'default'],
    ['validates lower priority pod preemption by critical pod', 'system-cluster-critical', 'kube-system'],
  ])('%s', async (_name, priority, namespace) => {
    for (const [i, node] of nodes.entries()) {
      await advertise(node, '5');
      for (const j of [0, 1])
        await run(`pod${i}-${j}`, i + j === 0 ? 'p1' : 'p2', { count: '2', affinity: onNode(node) });
    }
    await run('preemptor', priority, { count: '2', namespace });
    const others = ['pod0-1 Running', 'pod1-0 Running', 'pod1-1 Running'];
    expect(await phases('default')).toEqual(namespace === 'default' ? [...others, 'preemptor Running'] : others);
    expect(await phases(namespace)).toContain('preemptor Running');
  });

  test('validates pod disruption condition is added to the preempted pod', async () => {
    const [node = ''] = nodes;
    await advertise(node, '1');
    const finalizers = ['example.com/test-finalizer'];
    await run('victim', 'p1', { count: '1', affinity: onNode(node), finalizers });
    await run('preemptor', 'p4', { count: '1', affinity: onNode(node) });
    const victim = await cluster.client.pods('default').get('victim');
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(victim.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }),
    );
  });

  test('runs ReplicaSets to verify preemption running path', async () => {
    const [node = ''] = nodes;
    await advertise(node, '1000');
    const hostname = (await cluster.client.nodes().get(node)).metadata.labels?.['kubernetes.io/hostname'] ?? '';
    const nodeSelector = { 'kubernetes.io/hostname': hostname };
    const seen = new Set<string>();
    cluster.client
      .pods('default')
      .openWatch(
        {},
        { event: ({ type, object }) => void (type === 'ADDED' && seen.add(object.metadata.name ?? '')), end: () => {} },
      );
    const sizes = { pod1: '200', pod2: '300', pod3: '450' };
    for (const [index, [name, count]] of Object.entries(sizes).entries()) {
      const labels = { name };
      const podSpec = { nodeSelector, priorityClassName: `p${index + 1}`, containers: containers(count) };
      const template = { metadata: { labels }, spec: { ...podSpec, terminationGracePeriodSeconds: 1 } };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      await cluster.client.replicaSets('default').create({ metadata: { name: `rs-${name}` }, spec });
    }
    await cluster.clock.advance('10s');
    await run('pod4', 'p4', { count: '500', nodeSelector });
    await cluster.clock.advance('30s');
    expect((await cluster.client.pods('default').get('pod4')).spec?.nodeName).toBe(node);
    const countOf = (prefix: string) => [...seen].filter((name) => name.startsWith(prefix)).length;
    expect([countOf('rs-pod1'), countOf('rs-pod2'), countOf('rs-pod3')]).toEqual([2, 2, 1]);
  });

  test('verify PriorityClass endpoints can be operated with different HTTP methods', async () => {
    const classes = cluster.client.resource(refs.priorityClasses);
    const before = await classes.get('p2');
    await expect(classes.patch('p1', { value: 10 }, { type: 'strategic' })).rejects.toThrow('may not be changed');
    await expect(classes.update({ ...before, value: 20 })).rejects.toThrow('may not be changed');
    const description = 'updated description';
    await classes.patch('p1', { description }, { type: 'strategic' });
    const updated = await classes.update({ ...before, description });
    expect(updated).toMatchObject({ value: 2, description });
    expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    await classes.deleteCollection({ fieldSelector: 'metadata.name=p1' });
    expect((await classes.list()).items.map(({ metadata }) => metadata.name)).not.toContain('p1');
  });
});
