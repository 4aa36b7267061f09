import { type Container, refs } from '@coracle/api';
import { CriError } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { conditionsOf, node, podOf, startTestNodes, stateOf, web } from './nodes.fixture.js';

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

  test('K33.1 correct what another client wrote into their status', async () => {
    const { clock, client } = await startTestNodes();
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
    await client
      .resource(refs.nodes)
      .patch(node, { status: { conditions } }, { type: 'strategic', subresource: 'status' });
    await clock.advance(10_000);
    const { status } = await client.resource(refs.nodes).get(node);
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  test('K14.8 remove what they still ran of pods that were deleted while they were away', async () => {
    const { clock, pods, nodes, run } = await startTestNodes();
    await run('web');
    await nodes.stopNode(node);
    await pods.delete('web', { gracePeriodSeconds: 0 });
    await nodes.startNode(node);
    await clock.settle();
    expect((await nodes.runtimeOf(node)?.listPodSandbox({}))?.items).toEqual([]);
  });

  test('K28.7 stop what is left of deleted pods as it asked to be stopped', async () => {
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

  test('K23.7 pull one image at a time, and tell how long that took', async () => {
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

  test('K29.7 remove a sandbox that others have replaced, when nothing is left in it', async () => {
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

describe('a pod on a simulated node', () => {
  test('K17 goes straight to Running and Ready with one write', async () => {
    const { writes, run, events } = await startTestNodes();
    writes.splice(0);
    const pod = await run('web');
    expect(pod.status).toMatchObject({
      phase: 'Running',
      podIP: '10.244.0.2',
      podIPs: [{ ip: '10.244.0.2' }],
      hostIP: '172.18.0.2',
      startTime: '2026-01-01T00:00:00Z',
      qosClass: 'BestEffort',
      observedGeneration: 1,
    });
    expect(conditionsOf(pod)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(writes.filter((write) => write.includes('/pods/'))).toEqual([
      'PATCH /api/v1/namespaces/default/pods/web/status',
    ]);
    const eventLines = await events('web');
    expect(eventLines.map((text) => text.replace(/in 0s.*/, ''))).toEqual([
      'Pulling: Pulling image "nginx"',
      'Pulled: Successfully pulled image "nginx" ',
      'Created: Container created',
      'Started: Container started',
    ]);
  });

  test('K27 is deleted in two phases: last status, then the object', async () => {
    const { clock, pods, writes, run, nodes } = await startTestNodes();
    const { metadata } = await run('web');
    writes.splice(0);
    await pods.delete('web');
    await clock.settle();
    await expect(pods.get('web')).rejects.toMatchObject({ message: 'pods "web" not found' });
    expect(writes.filter((write) => write.includes('/pods/'))).toEqual([
      'PATCH /api/v1/namespaces/default/pods/web/status',
      'DELETE /api/v1/namespaces/default/pods/web',
    ]);
    const left = await nodes.runtimeOf(node)?.listPodSandbox({});
    expect(left?.items?.filter((sandbox) => sandbox.metadata?.uid === metadata.uid)).toEqual([]);
  });

  test('K28.2 gets its grace period to end, and is killed after it', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('slow', { terminationGracePeriodSeconds: 20 }, { 'stop-delay': '1h' });
    await pods.delete('slow');
    await clock.advance(19_000);
    expect((await pods.get('slow')).status?.phase).toBe('Running');
    await clock.advance(1_000);
    await expect(pods.get('slow')).rejects.toMatchObject({ message: 'pods "slow" not found' });
  });

  test('K28.2 is stopped again when its grace period becomes shorter', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('slow', { terminationGracePeriodSeconds: 600 }, { 'stop-delay': '1h' });
    await pods.delete('slow');
    await clock.advance(5_000);
    await pods.delete('slow', { gracePeriodSeconds: 10 });
    await clock.advance(10_000);
    await expect(pods.get('slow')).rejects.toMatchObject({ message: 'pods "slow" not found' });
  });

  test('K20.14 gets a new container when its image changes', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('web');
    await pods.patch('web', { spec: { containers: [{ name: 'web', image: 'nginx:2' }] } }, { type: 'strategic' });
    await clock.settle();
    const { status } = await pods.get('web');
    expect(status?.containerStatuses?.[0]).toMatchObject({
      image: 'docker.io/library/nginx:2',
      ready: true,
      restartCount: 1,
    });
  });

  test('K16.5 K17.7 reports when the runtime says nothing of it, or does not let it end', async () => {
    const { clock, pods, nodes, run, events } = await startTestNodes();
    await run('web');
    const runtime = nodes.runtimeOf(node);
    if (!runtime) throw new Error('no runtime');
    const { podSandboxStatus, stopContainer } = runtime;
    const broken = () => Promise.reject(new CriError('Unavailable', 'no answer'));
    runtime.podSandboxStatus = broken;
    await pods.patch('web', { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
    await clock.settle();
    expect(await events('web')).toContain('FailedSync: error determining status: no answer');
    Object.assign(runtime, { podSandboxStatus, stopContainer: broken });
    await pods.delete('web');
    await clock.settle();
    expect(await events('web')).toContain('FailedKillPod: error killing pod: no answer');
    runtime.stopContainer = stopContainer;
    await clock.advance(10_000);
    await expect(pods.get('web')).rejects.toMatchObject({ message: expect.stringContaining('not found') });
  });

  test('K27.6 that is deleted by force is gone at once, and its containers with it', async () => {
    const { clock, pods, run, nodes } = await startTestNodes();
    await run('slow', {}, { 'stop-delay': '1h' });
    await pods.delete('slow', { gracePeriodSeconds: 0 });
    await clock.advance(31_000);
    await expect(pods.get('slow')).rejects.toMatchObject({ message: 'pods "slow" not found' });
    expect((await nodes.runtimeOf(node)?.listContainers({}))?.containers).toEqual([]);
  });

  test('K28.4 runs its preStop hook within the grace period', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('hook', { containers: [{ ...web, lifecycle: { preStop: { sleep: { seconds: 5 } } } }] });
    await pods.delete('hook');
    await clock.advance(4_000);
    expect(stateOf(await pods.get('hook'))).toBe('ready');
    await clock.advance(1_000);
    await expect(pods.get('hook')).rejects.toMatchObject({ message: 'pods "hook" not found' });
  });

  test('runs the preStop hooks of its sidecars while its containers end', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    const lifecycle = { preStop: { sleep: { seconds: 8 } } };
    const sidecar = { name: 'proxy', image: 'envoy', restartPolicy: 'Always', lifecycle };
    await run('meshed', { initContainers: [sidecar] }, { 'stop-delay': '5s' });
    await pods.delete('meshed');
    await clock.settle();
    expect(await events('meshed')).toContain('Killing: Stopping container proxy');
    await clock.advance(12_000);
    expect(stateOf(await pods.get('meshed'))).toBe('ready');
    await clock.advance(1_000);
    await expect(pods.get('meshed')).rejects.toMatchObject({ message: 'pods "meshed" not found' });
  });

  test('K34.8 runs its postStart hook after the start, and is not said to run before the hook has ended', async () => {
    const { clock, pods, run } = await startTestNodes();
    const waiting = await run('hook', {
      containers: [{ ...web, lifecycle: { postStart: { sleep: { seconds: 5 } } } }],
    });
    expect([waiting.status?.phase, stateOf(waiting)]).toEqual(['Pending', 'waiting: ContainerCreating']);
    await clock.advance(5_000);
    const running = await pods.get('hook');
    expect([running.status?.phase, stateOf(running)]).toEqual(['Running', 'ready']);
  });

  test('that is deleted during its postStart hook ends as it would without', async () => {
    const { clock, pods, run } = await startTestNodes();
    const lifecycle = { postStart: { sleep: { seconds: 20 } } };
    await run('hook', { containers: [{ ...web, lifecycle }] });
    await pods.delete('hook');
    await clock.advance(1_000);
    await expect(pods.get('hook')).rejects.toMatchObject({ message: 'pods "hook" not found' });
  });

  test('K28.2 whose postStart hook fails is stopped with its grace period, and waits with the reason', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    const lifecycle = { postStart: { exec: { command: ['false'] } } };
    await run(
      'hook',
      { containers: [{ ...web, lifecycle }], terminationGracePeriodSeconds: 5 },
      { 'stop-delay': '1h' },
    );
    await clock.advance(4_000);
    expect(stateOf(await pods.get('hook'))).toBe('waiting: ContainerCreating');
    await clock.advance(1_000);
    expect(stateOf(await pods.get('hook'))).toBe('waiting: PostStartHookError');
    expect(await events('hook')).toEqual(
      expect.arrayContaining(['FailedPostStartHook: PostStartHook failed', 'Killing: FailedPostStartHook']),
    );
  });

  test('shows that it waits while its container takes long to start', async () => {
    const { clock, pods, run } = await startTestNodes();
    const waiting = await run('late', {}, { 'start-delay': '5s' });
    expect([waiting.status?.phase, stateOf(waiting)]).toEqual(['Pending', 'waiting: ContainerCreating']);
    expect(waiting.status?.podIP).toBe('10.244.0.2');
    await clock.advance(5_000);
    expect(stateOf(await pods.get('late'))).toBe('ready');
  });

  test('that is deleted while it starts never runs', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('late', {}, { 'pull-delay': '1m' });
    await pods.delete('late');
    await clock.settle();
    await expect(pods.get('late')).rejects.toMatchObject({ message: 'pods "late" not found' });
    await clock.advance(120_000);
  });

  test('K21.3 backs off from an image that cannot be pulled', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    const first = await run('none', {}, { 'pull-error': 'not found' });
    expect([first.status?.phase, stateOf(first)]).toEqual(['Pending', 'waiting: ErrImagePull']);
    await clock.advance(5_000);
    const pulls = async () => (await events('none')).filter((text) => text.startsWith('Failed: Failed to pull')).length;
    expect(await pulls()).toBe(1);
    await clock.advance(6_000);
    expect(stateOf(await pods.get('none'))).toMatch(/ErrImagePull|ImagePullBackOff/);
    await clock.advance(300_000);
    expect(stateOf(await pods.get('none'))).toMatch(/ErrImagePull|ImagePullBackOff/);
  });

  test('K21.1 K21.2 that keeps crashing waits longer each time', async () => {
    const { clock, pods, run, nodes } = await startTestNodes();
    await run('crash', {}, { 'crash-after': '1s' });
    const seen: string[] = [];
    for (let second = 0; second < 60; second++) {
      await clock.advance(1_000);
      const pod = await pods.get('crash');
      const text = `${pod.status?.containerStatuses?.[0]?.restartCount} ${stateOf(pod)}`;
      if (seen.at(-1) !== text) seen.push(text);
    }
    expect(seen).toEqual([
      '1 ready',
      '1 waiting: CrashLoopBackOff',
      '2 ready',
      '2 waiting: CrashLoopBackOff',
      '3 ready',
      '3 waiting: CrashLoopBackOff',
    ]);
    const { status } = await pods.get('crash');
    expect(status?.phase).toBe('Running');
    expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
    expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toMatch(
      /^back-off 40s restarting failed container=web pod=crash_default\(.+\)$/,
    );
    // K29.5: a minute has passed, and of the dead only the newest is kept.
    expect((await nodes.runtimeOf(node)?.listContainers({}))?.containers?.length).toBe(1);
  });

  const endings = [
    { command: ['true'], phase: 'Succeeded', state: 'ended: 0 Completed', condition: 'Ready=False PodCompleted' },
    { command: ['sh', '-c', 'exit 7'], phase: 'Failed', state: 'ended: 7 Error', condition: 'Ready=False PodFailed' },
    {
      command: ['sh', '-c', 'echo hi; exit 0'],
      phase: 'Succeeded',
      state: 'ended: 0 Completed',
      condition: 'Ready=False PodCompleted',
    },
  ];
  test.each(endings)('K26.8 that runs $command once ends as $phase', async ({ command, phase, state, condition }) => {
    const { run } = await startTestNodes();
    const pod = await run('once', { restartPolicy: 'Never', containers: [{ ...web, command }] });
    expect([pod.status?.phase, stateOf(pod)]).toEqual([phase, state]);
    expect(conditionsOf(pod)).toContain(condition);
  });

  test('keeps what it wrote', async () => {
    const { run, nodes } = await startTestNodes();
    const containers = [{ ...web, command: ['sh', '-c', 'echo hello; exit 0'] }];
    const { metadata } = await run('log', { restartPolicy: 'Never', containers });
    const lines = nodes.runtimeOf(node)?.logsOf(metadata.uid ?? '', 'web');
    expect(lines?.map(({ text }) => text)).toEqual(['hello']);
  });

  test('K20.13 runs its init containers one after the other, and its sidecar beside the rest', async () => {
    const { clock, pods, run } = await startTestNodes();
    const initContainers: Container[] = [
      { name: 'first', image: 'busybox', command: ['sleep', '3'] },
      { name: 'side', image: 'proxy', restartPolicy: 'Always' },
      { name: 'second', image: 'busybox' },
    ];
    const begun = await run('chain', { initContainers });
    expect(conditionsOf(begun)).toContain('Initialized=False ContainersNotInitialized');
    expect(['first', 'side', 'web'].map((name) => stateOf(begun, name))).toEqual([
      'running',
      'waiting: PodInitializing',
      'waiting: PodInitializing',
    ]);
    await clock.advance(3_000);
    const done = await pods.get('chain');
    expect(done.status?.phase).toBe('Running');
    expect(['first', 'side', 'second', 'web'].map((name) => stateOf(done, name))).toEqual([
      'ended: 0 Completed',
      'ready',
      'ended: 0 Completed',
      'ready',
    ]);
  });

  test('K24.3 is ready when its readiness probe succeeds', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 2 };
    const pod = await run('probe', { containers: [{ ...web, readinessProbe }] }, { 'ready-delay': '5s' });
    expect([pod.status?.phase, stateOf(pod)]).toEqual(['Running', 'running']);
    expect(conditionsOf(pod)).toContain('Ready=False ContainersNotReady');
    await clock.advance(6_000);
    expect(stateOf(await pods.get('probe'))).toBe('ready');
    expect(await events('probe')).toContain(
      'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503',
    );
  });

  test('K24.4 is probed for life only after it has started', async () => {
    const { clock, pods, run } = await startTestNodes();
    const probe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    const startupProbe = { ...probe, failureThreshold: 10 };
    const containers = [{ ...web, startupProbe, livenessProbe: probe }];
    const pod = await run('start', { containers }, { 'ready-delay': '4s' });
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
    await clock.advance(5_000);
    const { status } = await pods.get('start');
    expect(status?.containerStatuses?.[0]).toMatchObject({ started: true, ready: true, restartCount: 0 });
  });

  test('K13.7 K24.5 is restarted when its liveness probe fails', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 2 };
    await run('ill', { containers: [{ ...web, livenessProbe }] }, { 'unhealthy-after': '3s' });
    await clock.advance(4_500);
    expect((await pods.get('ill')).status?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(await events('ill')).toContain('Killing: Container web failed liveness probe, will be restarted');
  });

  test('fails when it has been active for too long', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('short', { activeDeadlineSeconds: 10 });
    await clock.advance(10_000);
    expect((await pods.get('short')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  test('K14.3 is refused when the node has no room for it', async () => {
    const { run, events } = await startTestNodes();
    const big = { ...web, resources: { requests: { cpu: '33' } } };
    const pod = await run('big', { containers: [big] });
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    expect(await events('big')).toEqual([
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 33000, used: 0, capacity: 32000",
    ]);
  });

  test('waits with a resize that the node has no room for, until it has', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    const sized = (cpu: string) => ({ ...web, resources: { requests: { cpu } } });
    await run('other', { containers: [sized('20')] });
    await run('grows', { containers: [sized('10')] });
    const resize = async (cpu: string) => {
      const containers = [{ name: web.name, resources: { requests: { cpu } } }];
      await pods.patch('grows', { spec: { containers } }, { type: 'strategic', subresource: 'resize' });
      await clock.settle();
    };
    const conditions = async () => {
      const { status } = await pods.get('grows');
      const pending = status?.conditions?.find(({ type }) => type === 'PodResizePending');
      return [pending?.reason, pending?.message, status?.containerStatuses?.[0]?.resources?.requests?.['cpu']];
    };
    await resize('40');
    expect(await conditions()).toEqual([
      'Infeasible',
      "Node didn't have enough capacity: cpu, requested: 40000, capacity: 32000",
      '10',
    ]);
    await resize('15');
    const message = "Node didn't have enough resource: cpu, requested: 15000, used: 20000, capacity: 32000";
    expect(await conditions()).toEqual(['Deferred', message, '10']);
    await pods.delete('other', { gracePeriodSeconds: 1 });
    await clock.advance(2_000);
    expect(await conditions()).toEqual([undefined, undefined, '15']);
    expect((await pods.get('grows')).status?.observedGeneration).toBe(3);
    const reasons = (await events('grows')).map((text) => text.replace(/:.*/, ''));
    expect(reasons.slice(-4)).toEqual(['ResizeInfeasible', 'ResizeDeferred', 'ResizeStarted', 'ResizeCompleted']);
  });

  test('K26.5 keeps conditions of others, and waits for those that gate its readiness', async () => {
    const { clock, pods, run } = await startTestNodes();
    const gated = await run('gate', { readinessGates: [{ conditionType: 'example.com/ok' }] });
    expect(conditionsOf(gated)).toContain('Ready=False ReadinessGatesNotReady');
    const status = { status: { conditions: [{ type: 'example.com/ok', status: 'True' }] } };
    await pods.patch('gate', status, { type: 'strategic', subresource: 'status' });
    await clock.settle();
    expect(conditionsOf(await pods.get('gate'))).toEqual(
      expect.arrayContaining(['Ready=True', 'example.com/ok=True', 'ContainersReady=True']),
    );
  });

  test('on the host network has the address of its node', async () => {
    const { run } = await startTestNodes();
    const { status } = await run('host', { hostNetwork: true });
    expect([status?.podIP, status?.hostIP]).toEqual(['172.18.0.2', '172.18.0.2']);
  });
});
