import { silentLogger, VirtualClock } from '@coracle/base';
import { type Container, ContainerState, CriError, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { PodEvents } from './pod-events.js';

/** The part of a runtime that is listed; other methods must not be called. */
function listing(containers: Container[], events: RuntimeService['getContainerEvents']): RuntimeService {
  const calls: Partial<RuntimeService> = {
    getContainerEvents: events,
    listPodSandbox: () => Promise.resolve({ items: [] }),
    listContainers: () => Promise.resolve({ containers }),
  };
  return calls as RuntimeService;
}

function container(id: string, uid: string, state: ContainerState): Container {
  return { id, state, labels: { 'io.kubernetes.pod.uid': uid } };
}

async function* refused(): AsyncGenerator<never> {
  yield await Promise.reject<never>(new CriError('Unimplemented', 'no events here'));
}

describe('PodEvents', () => {
  test('K25.1 K25.2 lists every second where the runtime reports no events, and reports changes', async () => {
    const clock = new VirtualClock();
    const containers = [container('a', 'u1', ContainerState.CONTAINER_RUNNING)];
    const changed: string[] = [];
    const events = new PodEvents({
      runtime: listing(containers, refused),
      clock,
      logger: silentLogger,
      onEvent: () => {},
      onChange: (uid) => changed.push(uid),
    });
    await clock.advance(1_000);
    expect(changed.splice(0)).toEqual(['u1']);
    await clock.advance(1_000);
    expect(changed).toEqual([]);
    containers[0] = container('a', 'u1', ContainerState.CONTAINER_EXITED);
    containers.push(container('b', 'u2', ContainerState.CONTAINER_RUNNING));
    await clock.advance(1_000);
    expect(changed.splice(0)).toEqual(['u1', 'u2']);
    containers.length = 0;
    await clock.advance(1_000);
    expect(changed).toEqual(['u1', 'u2']);
    events[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  test('passes on events of the runtime, and lists again after a gap', async () => {
    const clock = new VirtualClock();
    const messages: string[] = [];
    const changed: string[] = [];
    const events = new PodEvents({
      runtime: listing([container('a', 'u1', ContainerState.CONTAINER_RUNNING)], async function* () {
        yield { containerId: 'a' };
      }),
      clock,
      logger: silentLogger,
      onEvent: ({ containerId = '' }) => messages.push(containerId),
      onChange: (uid) => changed.push(uid),
    });
    await clock.settle();
    expect([messages, changed]).toEqual([['a'], []]);
    await clock.advance(1_000);
    expect([messages, changed]).toEqual([['a', 'a'], ['u1']]);
    events[Symbol.dispose]();
  });

  test('lists changes until the next stream was requested, also right before', async () => {
    const clock = new VirtualClock();
    const containers = [container('a', 'u1', ContainerState.CONTAINER_RUNNING)];
    const changed: string[] = [];
    let streams = 0;
    using _events = new PodEvents({
      runtime: listing(containers, async function* () {
        // It ends in the step before the runtime sends events again.
        if (streams++ > 0) containers[0] = container('a', 'u1', ContainerState.CONTAINER_EXITED);
        yield* [];
      }),
      clock,
      logger: silentLogger,
      onEvent: () => {},
      onChange: (uid) => changed.push(`${uid} ${containers[0]?.state}`),
    });
    await clock.advance(1_000);
    expect(changed).toEqual([`u1 ${ContainerState.CONTAINER_EXITED}`]);
    await clock.advance(10_000);
    expect(changed).toHaveLength(1);
  });

  test('K25.9 is unhealthy when listing has failed for three minutes', async () => {
    const clock = new VirtualClock();
    let broken = true;
    const calls: Partial<RuntimeService> = {
      getContainerEvents: refused,
      listPodSandbox: () => (broken ? Promise.reject(new Error('no answer')) : Promise.resolve({})),
      listContainers: () => Promise.resolve({}),
    };
    const options = { clock, logger: silentLogger, onEvent: () => {}, onChange: () => {} };
    using events = new PodEvents({ ...options, runtime: calls as RuntimeService });
    await clock.advance(181_000);
    expect(events.problem).toBeUndefined();
    await clock.advance(1_000);
    expect(events.problem).toBe('PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s');
    broken = false;
    await clock.advance(1_000);
    expect(events.problem).toBeUndefined();
  });

  test('lists one at a time, and is as healthy when the clock of the machine is set', async () => {
    const clock = new VirtualClock();
    const answers: (() => void)[] = [];
    const calls: Partial<RuntimeService> = {
      getContainerEvents: refused,
      listPodSandbox: () => new Promise((resolve) => answers.push(() => resolve({}))),
      listContainers: () => Promise.resolve({}),
    };
    const options = { clock, logger: silentLogger, onEvent: () => {}, onChange: () => {} };
    using events = new PodEvents({ ...options, runtime: calls as RuntimeService });
    await clock.advance(60_000);
    clock.setForward(3_600_000);
    expect([answers.length, events.problem]).toEqual([1, undefined]);
    answers.shift()?.();
    await clock.settle();
    expect(answers).toHaveLength(1);
    answers.shift()?.();
    await clock.settle();
    expect(answers).toEqual([]);
  });
});
