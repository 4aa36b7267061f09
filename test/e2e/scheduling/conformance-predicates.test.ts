import { type Pod, refs } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

type Amounts = Record<string, string>;
const list = (cpu: string, memory: string, storage: string): Amounts =>
  Object.fromEntries(
    Object.entries({ cpu, memory, 'ephemeral-storage': storage }).filter(([, amount]) => amount !== ''),
  );

/** The steps of upstream's conformance tests of the scheduler's predicates and of limit ranges. */
describe('scheduling as the conformance tests use it', () => {
  let cluster: Cluster;
  let nodes: string[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
    await cluster.settled();
    nodes = (await cluster.client.nodes().list()).items.map(({ metadata }) => metadata.name ?? '');
    for (const name of nodes) await cluster.client.nodes().patch(name, { metadata: { labels: { node: name } } }, merge);
  });
  afterAll(() => cluster?.stop());
  const merge = { type: 'merge' } as const;

  const run = async (namespace: string, name: string, spec: object, container: object = {}) => {
    const containers = [{ name, image: 'pause:1', ...container }];
    await cluster.client.pods(namespace).create({ metadata: { name }, spec: { containers, ...spec } });
    await cluster.clock.advance('10s');
    const pod = await cluster.client.pods(namespace).get(name);
    const events = (await cluster.client.events(namespace).list()).items.filter((event) =>
      event.metadata.name?.startsWith(`${name}.`),
    );
    const { reason } = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled') ?? {};
    return { node: pod.spec?.nodeName, reason, events: events.map((event) => `${event.reason} ${event.message}`) };
  };
  const makeNamespace = async (name: string) => {
    await cluster.client.namespaces().create({ metadata: { name } });
    // Its service account comes after it.
    await cluster.settled();
  };

  test('validates resource limits of pods that are allowed to run', async () => {
    await makeNamespace('limits');
    const { allocatable = {} } = (await cluster.client.nodes().get(nodes[0] ?? '')).status ?? {};
    const milliCpu = Number(parseQuantity(allocatable['cpu'] ?? '0').milliValue());
    const share = (part: number) => ({ resources: { limits: { cpu: `${Math.floor(milliCpu * part)}m` } } });
    for (const [i, node] of nodes.entries()) {
      const filler = await run('limits', `filler-${i}`, { nodeSelector: { node } }, share(0.7));
      expect(filler.node).toBe(node);
      expect(filler.events).toContain(`Scheduled Successfully assigned limits/filler-${i} to ${node}`);
    }
    const additional = await run('limits', 'additional-pod', {}, share(0.5));
    expect(additional).toMatchObject({ node: undefined, reason: 'Unschedulable' });
    expect(additional.events[0]).toMatch(/^FailedScheduling 0\/2 nodes are available: 2 Insufficient cpu/);
    await cluster.client.pods('limits').deleteCollection();
  });

  test('validates that NodeSelector is respected if matching, and if not', async () => {
    await makeNamespace('selector');
    const restricted = await run('selector', 'restricted-pod', { nodeSelector: { label: 'nonempty' } });
    expect(restricted).toMatchObject({ node: undefined, reason: 'Unschedulable' });
    expect(restricted.events[0]).toMatch(/^FailedScheduling /);
    const [, node = ''] = nodes;
    const label = 'kubernetes.io/e2e-1';
    await cluster.client.nodes().patch(node, { metadata: { labels: { [label]: '42' } } }, merge);
    expect((await run('selector', 'with-labels', { nodeSelector: { [label]: '42' } })).node).toBe(node);
  });

  test('validates that there exists conflict between pods with same hostPort but one using 0.0.0.0 hostIP', async () => {
    await makeNamespace('ports');
    const [node = ''] = nodes;
    const port = (hostIP: string) => ({ ports: [{ hostPort: 54322, containerPort: 8080, protocol: 'TCP', hostIP }] });
    expect((await run('ports', 'pod4', { nodeSelector: { node } }, port(''))).node).toBe(node);
    const pod5 = await run('ports', 'pod5', { nodeSelector: { node } }, port('127.0.0.1'));
    expect(pod5).toMatchObject({ node: undefined, reason: 'Unschedulable' });
  });

  const limits = {
    type: 'Container',
    min: list('50m', '100Mi', '100Gi'),
    max: list('500m', '500Mi', '500Gi'),
    default: list('500m', '500Mi', '500Gi'),
    defaultRequest: list('100m', '200Mi', '200Gi'),
  };

  test('should create a LimitRange with defaults and ensure pod has those defaults applied', async () => {
    await makeNamespace('ranges');
    const ranges = cluster.client.resource(refs.limitRanges, 'ranges');
    const range = await ranges.create({ metadata: { name: 'limit-range' }, spec: { limits: [limits] } });
    const create = async (name: string, requests: Amounts, limitsOfContainer: Amounts = {}) => {
      const containers = [{ name, image: 'pause:1', resources: { requests, limits: limitsOfContainer } }];
      const pod: Pod = await cluster.client.pods('ranges').create({ metadata: { name }, spec: { containers } });
      return pod.spec?.containers?.[0]?.resources;
    };
    expect(await create('none', {})).toEqual({ requests: limits.defaultRequest, limits: limits.default });
    expect(await create('partial', list('', '150Mi', '150Gi'), list('300m', '', ''))).toEqual({
      requests: list('300m', '150Mi', '150Gi'),
      limits: list('300m', '500Mi', '500Gi'),
    });
    const little = list('10m', '50Mi', '50Gi');
    const much = list('600m', '600Mi', '600Gi');
    await expect(create('little', little)).rejects.toMatchObject({ status: { code: 403 } });
    // The limit is the default, which the request exceeds.
    await expect(create('much', much)).rejects.toMatchObject({ status: { code: 422 } });
    const min = list('9m', '49Mi', '49Gi');
    await ranges.update({ ...range, spec: { limits: [{ ...limits, min }] } });
    await cluster.settled();
    await create('little', little);
    await ranges.delete('limit-range', { gracePeriodSeconds: 30 });
    await cluster.clock.advance('30s');
    await create('much', much);
  });

  test('should list, patch and delete a LimitRange by collection', async () => {
    const spec = { limits: [{ ...limits, maxLimitRequestRatio: {} }] };
    for (const namespace of ['default', 'ranges'])
      await cluster.client
        .resource(refs.limitRanges, namespace)
        .create({ metadata: { name: 'e2e', labels: { 'e2e-test': 'e2e', e2e: 'created' } }, spec });
    const everywhere = cluster.client.resource(refs.limitRanges);
    expect((await everywhere.list({ labelSelector: 'e2e-test=e2e' })).items).toHaveLength(2);
    const ranges = cluster.client.resource(refs.limitRanges, 'default');
    const { metadata } = await ranges.get('e2e');
    const min = list('9m', '49Mi', '49Gi');
    const patch = {
      metadata: { creationTimestamp: metadata.creationTimestamp, labels: { e2e: 'patched' } },
      spec: { limits: [{ ...limits, min }] },
    };
    const patched = await ranges.patch('e2e', patch, { type: 'strategic' });
    expect(patched).toMatchObject({ metadata: { labels: { e2e: 'patched' } }, spec: { limits: [{ min }] } });
    await ranges.deleteCollection({ labelSelector: 'e2e=patched' });
    expect((await everywhere.list({ labelSelector: 'e2e-test=e2e' })).items).toHaveLength(1);
  });
});
