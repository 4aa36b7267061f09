import { describe, expect, test } from 'vitest';
import { conditionsOf, startTestNodes, stateOf, web } from './nodes.fixture.js';

describe('the status of a pod on a simulated node', () => {
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

  test('K26.5 keeps conditions of others, and waits for readiness gates', async () => {
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
