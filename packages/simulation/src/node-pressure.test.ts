import { refs } from '@coracle/api';
import { findCondition } from '@coracle/apimachinery';
import { PrometheusMetrics } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { node, startTestNodes, stateOf, web } from './nodes.fixture.js';

const mebi = (amount: string) => ({ ...web, resources: { requests: { memory: amount } } });

describe('a node under pressure', () => {
  test('K31.12 K31.14 evicts the pod that uses most beyond its request, and is well again', async () => {
    const { clock, client, pods, run, events } = await startTestNodes();
    await run('modest', { containers: [mebi('100Gi')] }, { 'memory-usage': '90Gi' });
    await run('greedy', { containers: [mebi('10Gi')] }, { 'memory-usage': '100Gi' });
    await run('greedier', { containers: [mebi('10Gi')] }, { 'memory-usage': '66Gi' });
    await clock.advance(20_000);
    const { status } = await pods.get('greedy');
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container web was using 100Gi, request is 10Gi, has larger consumption of memory. ',
    });
    expect(findCondition(status?.conditions, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
    });
    expect((await pods.get('greedier')).status?.phase).toBe('Running');
    expect(await events('greedy')).toContain(`Evicted: ${status?.message}`);
    expect(await events(node)).toContain('EvictionThresholdMet: Attempting to reclaim memory');
    const { items } = await client.resource(refs.events, 'default').list();
    expect(items.find(({ reason }) => reason === 'Evicted')?.metadata.annotations).toEqual({
      starved_resource: 'memory',
      offending_containers: 'web',
      offending_containers_usage: '100Gi',
    });
    const pressure = async () =>
      findCondition((await client.resource(refs.nodes).get(node)).status?.conditions, 'MemoryPressure')?.status;
    expect(await pressure()).toBe('True');
    await clock.advance(320_000);
    expect(await pressure()).toBe('False');
    const ofNode = (await events(node)).filter((text) => /Memory\b/.test(text) && text.startsWith('NodeHas'));
    // The second was sent when the node was registered already, and is counted in that event.
    expect(ofNode.sort()).toEqual([
      `NodeHasInsufficientMemory: Node ${node} status is now: NodeHasInsufficientMemory`,
      `NodeHasSufficientMemory: Node ${node} status is now: NodeHasSufficientMemory`,
    ]);
  });

  test('K15.3 rejects best-effort pods, except for critical ones', async () => {
    const { clock, client, run } = await startTestNodes();
    const annotations = { 'simulation.coracle.dev/memory.available': '50Mi' };
    await client.resource(refs.nodes).patch(node, { metadata: { annotations } }, { type: 'merge' });
    await clock.advance(20_000);
    expect((await run('best-effort')).status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
    });
    expect(stateOf(await run('asks', { containers: [mebi('1Mi')] }))).toBe('ready');
    const tolerations = [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }];
    expect(stateOf(await run('tolerates', { tolerations }))).toBe('ready');
  });

  test('K31.10 removes dead containers and unused images before it evicts a pod', async () => {
    const { clock, run, nodes, pods } = await startTestNodes();
    await run('done', { restartPolicy: 'Never', containers: [{ ...web, image: 'old', command: ['true'] }] });
    await run('web');
    // Images are looked at every five minutes, and not removed in the two minutes after they were first seen.
    await clock.advance(430_000);
    nodes.hostOf(node)?.say({ 'nodefs.inodesFree': '1%' });
    await clock.advance(10_000);
    const left = await nodes.runtimeOf(node)?.listContainers({});
    expect(left?.containers?.map(({ labels }) => labels?.['io.kubernetes.pod.name'])).not.toContain('done');
    const images = await nodes.runtimeOf(node)?.images.listImages({});
    expect(images?.images?.flatMap(({ repoTags }) => repoTags)).toEqual(['docker.io/library/nginx:latest']);
    expect((await pods.get('web')).status?.message).toContain('The node was low on resource: inodes. ');
  });

  test('K31.15 a pod that exceeds its disk limit is evicted, without disk pressure', async () => {
    const { clock, pods, run } = await startTestNodes();
    const spec = {
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }],
      containers: [{ ...web, volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
    };
    await run('within', spec, { 'volume-usage.scratch': '1Gi' });
    await run('beyond', spec, { 'volume-usage.scratch': '2Gi' });
    await clock.advance(20_000);
    expect((await pods.get('beyond')).status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". ',
    });
    expect(stateOf(await pods.get('within'))).toBe('ready');
  });

  test('K31.14 counts evictions by signal', async () => {
    const metrics = new PrometheusMetrics();
    const { clock, run, nodes } = await startTestNodes(1, { metrics });
    await run('web');
    const volumes = [{ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }];
    const containers = [{ ...web, volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }];
    await run('beyond', { volumes, containers }, { 'volume-usage.scratch': '2Gi' });
    await clock.advance(20_000);
    nodes.hostOf(node)?.say({ 'memory.available': '50Mi' });
    await clock.advance(10_000);
    const lines = metrics.render().split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'kubelet_evictions{eviction_signal="emptydirfs.limit"} 1',
        'kubelet_evictions{eviction_signal="memory.available"} 1',
        'kubelet_eviction_stats_age_seconds_count{eviction_signal="memory.available"} 1',
      ]),
    );
  });

  test.each([
    ['all that it has', {}, { cpu: '32', memory: '256Gi' }],
    ['less with systemReserved', { settings: { systemReserved: { cpu: '2' } } }, { cpu: '30', memory: '262044Mi' }],
  ])('K31.17 leaves to pods %s', async (_, options, expected) => {
    const { client } = await startTestNodes(1, options);
    expect((await client.resource(refs.nodes).get(node)).status).toMatchObject({
      capacity: { cpu: '32', memory: '256Gi' },
      allocatable: expected,
    });
  });

  test('K31.14 pods that the cluster needs stay', async () => {
    const { clock, pods, run, nodes } = await startTestNodes();
    await run('critical', { priority: 2_000_000_000 });
    nodes.hostOf(node)?.say({ 'memory.available': '1Mi' });
    await clock.advance(60_000);
    expect(stateOf(await pods.get('critical'))).toBe('ready');
  });
});

describe('a node whose runtime has problems', () => {
  test('K17.8 starts no pod without a network, except for those in the host network', async () => {
    const { clock, client, pods, run, events } = await startTestNodes();
    const nodes = client.resource(refs.nodes);
    const name = 'simulation.coracle.dev/network-not-ready';
    await nodes.patch(node, { metadata: { annotations: { [name]: 'cni plugin not initialized' } } }, { type: 'merge' });
    await clock.advance(20_000);
    const problem =
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized';
    expect(findCondition((await nodes.get(node)).status?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: problem,
    });
    expect(stateOf(await run('web'))).toBe('waiting: ContainerCreating');
    expect(await events('web')).toEqual([`NetworkNotReady: network is not ready: ${problem}`]);
    expect(stateOf(await run('host', { hostNetwork: true }))).toBe('ready');
    await nodes.patch(node, { metadata: { annotations: { [name]: null } } }, { type: 'merge' });
    await clock.advance(20_000);
    expect(stateOf(await pods.get('web'))).toBe('ready');
  });

  test('K12.3 syncs nothing while the runtime is not ready, and everything after', async () => {
    const { clock, client, pods, run } = await startTestNodes();
    const nodes = client.resource(refs.nodes);
    const name = 'simulation.coracle.dev/runtime-not-ready';
    await nodes.patch(node, { metadata: { annotations: { [name]: 'starting' } } }, { type: 'merge' });
    await clock.advance(20_000);
    expect((await run('host', { hostNetwork: true })).status?.phase).toBe('Pending');
    await nodes.patch(node, { metadata: { annotations: { [name]: null } } }, { type: 'merge' });
    await clock.advance(20_000);
    expect(stateOf(await pods.get('host'))).toBe('ready');
  });
});
