import type { Container } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { conditionsOf, node, startTestNodes, stateOf, web } from './nodes.fixture.js';

describe('the start of a pod on a simulated node', () => {
  test('K17.11 a pod whose directories cannot be created waits with an event, and is retried', async () => {
    const { clock, pods, nodes, run, events } = await startTestNodes();
    let isFull = true;
    Object.assign(nodes.runtimeOf(node)?.disk ?? {}, {
      makePodDirectories: async () => {
        if (isFull) throw new Error('the disk is full');
      },
    });
    expect((await run('web')).status?.phase).toBe('Pending');
    expect(await events('web')).toEqual(['Failed: error making pod data directories: the disk is full']);
    isFull = false;
    await clock.advance(10_000);
    expect((await pods.get('web')).status?.phase).toBe('Running');
  });

  test('becomes Running and Ready with one write', async () => {
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

  test('shows that it waits while its container takes long to start', async () => {
    const { clock, pods, run } = await startTestNodes();
    const waiting = await run('late', {}, { 'start-delay': '5s' });
    expect([waiting.status?.phase, stateOf(waiting)]).toEqual(['Pending', 'waiting: ContainerCreating']);
    expect(waiting.status?.podIP).toBe('10.244.0.2');
    await clock.advance(5_000);
    expect(stateOf(await pods.get('late'))).toBe('ready');
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
    // K29.5: a minute has passed, and only the newest dead container is kept.
    expect((await nodes.runtimeOf(node)?.listContainers({}))?.containers?.length).toBe(1);
  });

  test('that keeps crashing waits no longer than the node says', async () => {
    const settings = { crashLoopBackOff: { maxContainerRestartPeriod: 15_000 } };
    const { clock, pods, run } = await startTestNodes(1, { settings });
    await run('crash', {}, { 'crash-after': '1s' });
    await clock.advance(50_000);
    const { state, restartCount } = (await pods.get('crash')).status?.containerStatuses?.[0] ?? {};
    expect(state?.waiting?.message).toMatch(/^back-off 15s restarting failed container=web/);
    expect(restartCount).toBe(4);
  });

  test('pulls of images are limited only if configured', async () => {
    const pods = ['a', 'b', 'c'];
    const states = async (settings: object) => {
      const { run } = await startTestNodes(1, { settings });
      const all: string[] = [];
      for (const name of pods) all.push(stateOf(await run(name, { containers: [{ name: 'web', image: name }] })));
      return all;
    };
    expect(await states({ registryPullQPS: 1, registryBurst: 2 })).toEqual(['ready', 'ready', 'waiting: ErrImagePull']);
    expect(await states({ registryBurst: 2 })).toEqual(['ready', 'ready', 'ready']);
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

  test('keeps its data', async () => {
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
});
