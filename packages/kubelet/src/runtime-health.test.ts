import { silentLogger, VirtualClock } from '@coracle/base';
import type { RuntimeCondition } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { RuntimeHealth } from './runtime-health.js';

const working = ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true }));

function healthOf(answer: () => readonly RuntimeCondition[], alsoWrong?: () => string | undefined) {
  const clock = new VirtualClock();
  let recovered = 0;
  const health = new RuntimeHealth({
    runtime: { status: async () => ({ status: { conditions: [...answer()] } }) },
    clock,
    logger: silentLogger,
    ...(alsoWrong && { alsoWrong }),
    onRecovered: () => void recovered++,
  });
  health.watch();
  return { clock, health, recovered: () => recovered };
}

describe('RuntimeHealth', () => {
  test('K8.4 the status is unknown before the first response', async () => {
    const { clock, health, recovered } = healthOf(() => working);
    expect(health.runtimeProblem).toBe('container runtime status check may not have completed yet');
    await clock.settle();
    expect(health.problems).toEqual([]);
    expect(recovered()).toBe(1);
  });

  test('K7.7 K8.4 checks every five seconds, and reports the error of the runtime', async () => {
    const conditions: RuntimeCondition[] = [...working];
    const { clock, health, recovered } = healthOf(() => conditions);
    await clock.settle();
    conditions[1] = { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'no plugin' };
    await clock.advance(5_000);
    expect(health.runtimeProblem).toBeUndefined();
    expect(health.networkProblem).toBe(
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:no plugin',
    );
    conditions[0] = { type: 'RuntimeReady', status: false };
    await clock.advance(5_000);
    expect(health.problems[0]).toBe('container runtime not ready: RuntimeReady=false reason: message:');
    expect(recovered()).toBe(1);
    conditions.splice(0, 2, ...working);
    await clock.advance(5_000);
    expect(recovered()).toBe(2);
    health[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  test('K8.4 a runtime that does not respond for half a minute is down', async () => {
    let answers = true;
    const { clock, health } = healthOf(() => {
      if (!answers) throw new Error('no answer');
      return working;
    });
    await clock.settle();
    answers = false;
    await clock.advance(30_000);
    expect(health.runtimeProblem).toBeUndefined();
    await clock.advance(1_000);
    expect(health.runtimeProblem).toBe('container runtime is down');
  });

  test('K25.9 failures to list containers count too', async () => {
    const { clock, health } = healthOf(
      () => working,
      () => 'PLEG is not healthy',
    );
    await clock.settle();
    expect(health.problems).toEqual(['PLEG is not healthy']);
  });

  test('a runtime is not down because the clock of the machine was set forward', async () => {
    const { clock, health } = healthOf(() => working);
    await clock.settle();
    clock.setForward(3_600_000);
    expect(health.problems).toEqual([]);
  });

  test('a runtime that hangs gets one request', async () => {
    const clock = new VirtualClock();
    let requests = 0;
    const status = () => {
      requests++;
      return new Promise<never>(() => {});
    };
    using health = new RuntimeHealth({ runtime: { status }, clock, logger: silentLogger, onRecovered: () => {} });
    health.watch();
    await clock.advance(60_000);
    expect(requests).toBe(1);
  });
});
