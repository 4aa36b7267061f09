import type { Probe } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { startTestNodes, stateOf, web } from './nodes.fixture.js';

const http: Probe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };

describe('probes, from the container to the status of its pod', () => {
  test('K24.4 no probe but the startup probe runs before a container has started, and the readiness probe right after', async () => {
    const { run, clock, pods } = await startTestNodes();
    const startupProbe = { ...http, failureThreshold: 30 };
    const readinessProbe = { ...http, periodSeconds: 100 };
    await run('web', { containers: [{ ...web, startupProbe, readinessProbe }] }, { 'ready-delay': '20s' });
    await clock.advance(19_500);
    const [before] = (await pods.get('web')).status?.containerStatuses ?? [];
    expect([before?.started, before?.ready]).toEqual([false, false]);

    await clock.advance(1_000);
    const [after] = (await pods.get('web')).status?.containerStatuses ?? [];
    expect([after?.started, after?.ready]).toEqual([true, true]);
  });

  test('K24.5 a container that never starts is killed and started again', async () => {
    const { run, clock, events, pods } = await startTestNodes();
    const startupProbe = { ...http, failureThreshold: 5 };
    await run('web', { containers: [{ ...web, startupProbe }] }, { 'ready-delay': '1h' });
    await clock.advance(4_500);
    expect(await events('web')).toContain('Killing: Container web failed startup probe, will be restarted');
    expect((await pods.get('web')).status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  test.each<[string, Partial<Probe>, number]>([
    ["the pod's", {}, 30],
    ["the probe's own", { terminationGracePeriodSeconds: 5 }, 5],
  ])('a container that is condemned gets %s grace period', async (_, own, seconds) => {
    const { run, clock, pods } = await startTestNodes();
    const slow = { 'unhealthy-after': '10s', 'stop-delay': '10m' };
    await run('web', { containers: [{ ...web, livenessProbe: { ...http, ...own } }] }, slow);
    await clock.advance(10_000 + (seconds - 1) * 1_000);
    expect((await pods.get('web')).status?.containerStatuses?.[0]?.restartCount).toBe(0);

    await clock.advance(2_000);
    const [status] = (await pods.get('web')).status?.containerStatuses ?? [];
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 137 } } });
  });

  test('a pod is unready for as long as its probe fails, and its containers are not restarted', async () => {
    const { run, clock, pods } = await startTestNodes();
    const readinessProbe = { ...http, failureThreshold: 3 };
    await run('web', { containers: [{ ...web, readinessProbe }] }, { 'unhealthy-after': '10s' });
    expect(stateOf(await pods.get('web'))).toBe('ready');
    await clock.advance(11_500);
    expect(stateOf(await pods.get('web'))).toBe('ready');
    await clock.advance(1_000);
    expect(stateOf(await pods.get('web'))).toBe('running');
    expect((await pods.get('web')).status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test('a pod that is being stopped is not found dead, but unready as soon as it no longer serves', async () => {
    const { run, clock, events, pods } = await startTestNodes();
    const probes = { startupProbe: http, livenessProbe: http, readinessProbe: http };
    const slow = { 'unhealthy-after': '10s', 'stop-delay': '25s' };
    await run('web', { containers: [{ ...web, ...probes }] }, slow);
    await clock.advance(5_000);
    await pods.delete('web');
    await clock.advance(4_000);
    expect(stateOf(await pods.get('web'))).toBe('ready');
    await clock.advance(10_000);
    expect(stateOf(await pods.get('web'))).toBe('running');
    expect((await events('web')).filter((text) => text.startsWith('Unhealthy: Liveness'))).toEqual([]);
    await clock.advance(20_000);
    await expect(pods.get('web')).rejects.toMatchObject({ message: 'pods "web" not found' });
  });

  test('K24.3 running containers keep their state when a kubelet starts, and are probed within one period, not all at once', async () => {
    const { run, clock, nodes, pods } = await startTestNodes();
    const probes = { readinessProbe: { ...http, periodSeconds: 100 }, startupProbe: http };
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await run(name, { containers: [{ ...web, ...probes }] }, { 'unhealthy-after': '1h' });
    await clock.advance(3_599_900);
    await nodes.stopNode('coracle-node-1');
    await nodes.startNode('coracle-node-1');
    await clock.settle();
    const states = async () => Promise.all(names.map(async (name) => stateOf(await pods.get(name))));
    const unreadyAfter: number[] = [];
    for (let second = 0; second <= 100; second += 5) {
      const unready = (await states()).filter((state) => state === 'running').length;
      if (unready > unreadyAfter.length) unreadyAfter.push(...Array(unready - unreadyAfter.length).fill(second));
      await clock.advance(5_000);
    }
    expect(unreadyAfter).toHaveLength(names.length);
    expect(unreadyAfter[0]).toBeGreaterThan(0);
    expect(new Set(unreadyAfter).size).toBeGreaterThan(1);
  });
});
