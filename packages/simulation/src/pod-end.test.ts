import { Deferred } from '@coracle/base';
import { CriError, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { node, startTestNodes } from './nodes.fixture.js';

/** Records what begins and ends pods, and keeps one of the calls waiting until `release`. */
function slowRuntime(runtime: RuntimeService, slow: 'runPodSandbox' | 'createContainer' | 'startContainer') {
  const calls: string[] = [];
  const held = new Deferred<void>();
  for (const name of ['runPodSandbox', 'createContainer', 'startContainer', 'stopPodSandbox'] as const) {
    const call = runtime[name].bind(runtime) as (request: object) => Promise<object>;
    const recorded = async (request: object) => {
      calls.push(name);
      if (name === slow) await held.promise;
      return call(request);
    };
    Object.assign(runtime, { [name]: recorded });
  }
  return { calls, release: () => held.resolve() };
}

describe('the end of a pod on a simulated node', () => {
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

  test('K16.5 K17.7 reports when the runtime fails to get its status or to stop it', async () => {
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

  test('K27.6 that is deleted by force is removed at once, and its containers with it', async () => {
    const { clock, pods, run, nodes } = await startTestNodes();
    await run('slow', {}, { 'stop-delay': '1h' });
    await pods.delete('slow', { gracePeriodSeconds: 0 });
    await clock.advance(31_000);
    await expect(pods.get('slow')).rejects.toMatchObject({ message: 'pods "slow" not found' });
    expect((await nodes.runtimeOf(node)?.listContainers({}))?.containers).toEqual([]);
  });

  test('that is deleted while it starts never runs', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('late', {}, { 'pull-delay': '1m' });
    await pods.delete('late');
    await clock.settle();
    await expect(pods.get('late')).rejects.toMatchObject({ message: 'pods "late" not found' });
    await clock.advance(120_000);
  });

  test.each(['runPodSandbox', 'createContainer', 'startContainer'] as const)(
    'that is deleted while a slow runtime is at %s is stopped after that, and nothing else is begun',
    async (slow) => {
      const { clock, pods, nodes, run } = await startTestNodes();
      const runtime = nodes.runtimeOf(node);
      if (!runtime) throw new Error('no runtime');
      const { calls, release } = slowRuntime(runtime, slow);
      await run('web');
      await pods.delete('web', { gracePeriodSeconds: 1 });
      await clock.advance(5_000);
      const before = calls.splice(0);
      release();
      await clock.advance(60_000);
      expect([before.at(-1), calls.filter((call) => call !== 'stopPodSandbox')]).toEqual([slow, []]);
      await expect(pods.get('web')).rejects.toMatchObject({ message: 'pods "web" not found' });
      expect((await runtime.listPodSandbox({})).items).toEqual([]);
      expect((await runtime.listContainers({})).containers).toEqual([]);
    },
  );

  test('fails when it has been active for too long', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('short', { activeDeadlineSeconds: 10 });
    await clock.advance(10_000);
    expect((await pods.get('short')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});
