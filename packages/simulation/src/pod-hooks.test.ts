import { describe, expect, test } from 'vitest';
import { startTestNodes, stateOf, web } from './nodes.fixture.js';

describe('the hooks of a pod on a simulated node', () => {
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

  test('K34.8 runs its postStart hook after the start, and is not Running before the hook has completed', async () => {
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

  test('K28.2 whose postStart hook fails is stopped with its grace period, and is reported as waiting with the reason', async () => {
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
});
