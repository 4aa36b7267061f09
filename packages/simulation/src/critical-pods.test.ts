import { findCondition } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { podOf, startTestNodes, stateOf, web } from './nodes.fixture.js';

/** Simulated nodes have 32 CPUs. */
const cpus = (cpu: string) => [{ ...web, resources: { requests: { cpu } } }];
const critical = { priority: 2_000_001_000, priorityClassName: 'system-node-critical' };

describe('a critical pod on a full node', () => {
  test('takes the place of the fewest others, once they have ended', async () => {
    const { clock, pods, run, events } = await startTestNodes();
    await run('small', { containers: cpus('2') });
    await run('large', { containers: cpus('30'), terminationGracePeriodSeconds: 5 }, { 'stop-delay': '3s' });
    expect((await run('agent', { ...critical, containers: cpus('10') })).status?.phase).toBe('Pending');
    await clock.advance(3_000);
    const { status } = await pods.get('large');
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
    });
    expect(findCondition(status?.conditions, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
    });
    expect(await events('large')).toContain('Preempting: Preempted in order to admit critical pod');
    expect(stateOf(await pods.get('agent'))).toBe('ready');
    expect(stateOf(await pods.get('small'))).toBe('ready');
  });

  test('others wait meanwhile, and get the rest', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('large', { containers: cpus('32'), terminationGracePeriodSeconds: 5 }, { 'stop-delay': '3s' });
    await run('agent', { ...critical, containers: cpus('20') });
    await pods.create(podOf('fits', { containers: cpus('10') }, {}));
    await pods.create(podOf('late', { containers: cpus('10') }, {}));
    await clock.settle();
    expect((await pods.get('fits')).status?.phase).toBe('Pending');
    await clock.advance(3_000);
    expect(stateOf(await pods.get('agent'))).toBe('ready');
    const phases = [(await pods.get('fits')).status?.phase, (await pods.get('late')).status?.reason];
    expect(phases).toEqual(['Running', 'OutOfcpu']);
  });

  test('is rejected for other reasons than resources', async () => {
    const { pods, run, events } = await startTestNodes();
    await run('large', { containers: cpus('32') });
    const spec = { ...critical, containers: cpus('1'), nodeSelector: { disk: 'none' } };
    expect((await run('agent', spec)).status).toMatchObject({
      phase: 'Failed',
      reason: 'NodeAffinity',
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    });
    expect(await events('agent')).toEqual([
      "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ]);
    expect(stateOf(await pods.get('large'))).toBe('ready');
  });

  test('that is deleted while it waits never runs', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('large', { containers: cpus('32'), terminationGracePeriodSeconds: 60 }, { 'stop-delay': '50s' });
    await run('agent', { ...critical, containers: cpus('1') });
    await pods.delete('agent', { gracePeriodSeconds: 0 });
    await clock.advance(51_000);
    expect((await pods.list()).items.map(({ metadata }) => metadata.name)).toEqual(['large']);
  });

  test('is waited with no longer when the node stops', async () => {
    const { clock, nodes, run } = await startTestNodes();
    const spec = { containers: cpus('32'), terminationGracePeriodSeconds: 60 };
    await run('large', spec, { 'stop-delay': '50s' });
    await nodes[Symbol.asyncDispose]();
    const other = await startTestNodes();
    await other.run('large', spec, { 'stop-delay': '50s' });
    await other.run('agent', { ...critical, containers: cpus('1') });
    await other.nodes[Symbol.asyncDispose]();
    await Promise.all([clock.advance(1_000), other.clock.advance(1_000)]);
    // The container that is being stopped has a separate timer in the runtime.
    expect(other.clock.pending - clock.pending).toBeLessThanOrEqual(1);
  });
});
