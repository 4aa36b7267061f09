import { refs } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { node, podOf, startTestNodes, stateOf, web } from './nodes.fixture.js';

describe('simulated nodes', () => {
  test('K33.1 register, are ready, and renew their lease', async () => {
    const { client, clock, nodes } = await startTestNodes(2);
    const list = await client.resource(refs.nodes).list();
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual([node, 'coracle-node-2']);
    expect(list.items[0]?.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual(
      [
        'MemoryPressure=False KubeletHasSufficientMemory',
        'DiskPressure=False KubeletHasNoDiskPressure',
        'PIDPressure=False KubeletHasSufficientPID',
        'Ready=True KubeletReady',
      ],
    );
    const lease = () => client.resource(refs.leases, 'kube-node-lease').get(node);
    const before = await lease();
    expect(before.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Node', name: node });
    await clock.advance(11_000);
    expect(before.spec?.renewTime).toBe('2026-01-01T00:00:00.000000Z');
    expect((await lease()).spec?.renewTime?.slice(0, 18)).toBe('2026-01-01T00:00:1');
    await nodes[Symbol.asyncDispose]();
  });

  test('K33.3 write an unchanged status every five minutes, and a changed one at once', async () => {
    const { clock, writes, run } = await startTestNodes();
    const reports = () => writes.splice(0).filter((write) => write === `PATCH /api/v1/nodes/${node}/status`).length;
    reports();
    await clock.advance(290_000);
    expect(reports()).toBe(0);
    await clock.advance(20_000);
    expect(reports()).toBe(1);
    await run('web');
    await clock.advance(10_000);
    expect(reports()).toBe(1);
  });

  test('stop answering when they are stopped, and find their containers again when they start', async () => {
    const { clock, client, pods, nodes, run } = await startTestNodes();
    const before = await run('web');
    await nodes.stopNode(node);
    const lease = await client.resource(refs.leases, 'kube-node-lease').get(node);
    await pods.create(podOf('later', {}, {}));
    await clock.advance(60_000);
    expect((await pods.get('later')).status?.phase).toBe('Pending');
    expect((await client.resource(refs.leases, 'kube-node-lease').get(node)).spec).toEqual(lease.spec);
    await nodes.startNode(node);
    await clock.settle();
    expect((await pods.get('later')).status?.phase).toBe('Running');
    expect((await pods.get('web')).status).toEqual(before.status);
  });

  test('K33.1 correct writes of other clients to their status', async () => {
    const { clock, client } = await startTestNodes();
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
    await client
      .resource(refs.nodes)
      .patch(node, { status: { conditions } }, { type: 'strategic', subresource: 'status' });
    await clock.advance(10_000);
    const { status } = await client.resource(refs.nodes).get(node);
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  test('K14.8 remove containers of pods that were deleted while they were stopped', async () => {
    const { clock, pods, nodes, run } = await startTestNodes();
    await run('web');
    await nodes.stopNode(node);
    await pods.delete('web', { gracePeriodSeconds: 0 });
    await nodes.startNode(node);
    await clock.settle();
    expect((await nodes.runtimeOf(node)?.listPodSandbox({}))?.items).toEqual([]);
  });

  test('K28.7 stop containers of deleted pods with their own grace period', async () => {
    const { clock, pods, nodes, run } = await startTestNodes();
    const preStop = { sleep: { seconds: 4 } };
    const containers = [{ ...web, lifecycle: { preStop } }];
    await run('web', { containers, terminationGracePeriodSeconds: 10 }, { 'stop-delay': '1h' });
    await nodes.stopNode(node);
    await pods.delete('web', { gracePeriodSeconds: 0 });
    await nodes.startNode(node);
    await clock.advance(9_900);
    const left = async () => (await nodes.runtimeOf(node)?.listPodSandbox({}))?.items?.length;
    expect(await left()).toBe(1);
    await clock.advance(200);
    expect(await left()).toBe(0);
  });

  test('K23.7 pull one image at a time, and report the duration', async () => {
    const { clock, pods, events } = await startTestNodes();
    for (const name of ['first', 'second'])
      await pods.create(podOf(name, { containers: [{ ...web, image: name }] }, { 'pull-delay': '2s' }));
    await clock.advance(3_000);
    expect([stateOf(await pods.get('first')), stateOf(await pods.get('second'))]).toEqual([
      'ready',
      'waiting: ContainerCreating',
    ]);
    await clock.advance(2_000);
    expect(await events('second')).toContainEqual(
      expect.stringMatching(/^Pulled: Successfully pulled image "second" in 2s \(4s including waiting\)/),
    );
  });

  test('K29.7 remove an empty sandbox that was replaced', async () => {
    const { clock, nodes, run, events } = await startTestNodes();
    await run('web');
    const runtime = nodes.runtimeOf(node);
    const sandboxes = async () => (await runtime?.listPodSandbox({}))?.items ?? [];
    const replace = async () => {
      await runtime?.stopPodSandbox({ podSandboxId: (await sandboxes()).at(-1)?.id ?? '' });
      await clock.settle();
    };
    await replace();
    await replace();
    expect(await events('web')).toContain('SandboxChanged: Pod sandbox changed, it will be killed and re-created.');
    await clock.advance(120_000);
    // The newest dead container is kept, and its sandbox with it.
    expect((await sandboxes()).map(({ metadata }) => metadata?.attempt)).toEqual([1, 2]);
  });

  test('leave no timer behind', async () => {
    const pendingAfter = async (use: (nodes: Awaited<ReturnType<typeof startTestNodes>>) => Promise<unknown>) => {
      const test = await startTestNodes();
      await use(test);
      await test.nodes[Symbol.asyncDispose]();
      await test.clock.settle();
      return test.clock.pending;
    };
    const sleeping = { sleep: { seconds: 1_000 } };
    const [postStart, preStop] = [{ lifecycle: { postStart: sleeping } }, { lifecycle: { preStop: sleeping } }];
    const empty = await pendingAfter(async () => undefined);
    const used = await pendingAfter(async ({ run, pods, clock }) => {
      const patient = { terminationGracePeriodSeconds: 2_000 };
      await run('starts', { containers: [{ ...web, ...postStart }], ...patient });
      await run('stops', { containers: [{ ...web, ...preStop }], ...patient });
      await pods.delete('stops');
      await clock.advance(1_000);
      expect((await pods.get('stops')).status?.phase).toBe('Running');
    });
    expect(used).toBe(empty);
  });
});
