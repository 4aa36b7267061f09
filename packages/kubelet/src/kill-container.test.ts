import type { Container } from '@coracle/api';
import { silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makePod } from './builders.fixture.js';
import { type KillParts, killContainer } from './kill-container.js';
import { newPodWork } from './pod-work.js';

type Hook = NonNullable<Container['lifecycle']>['preStop'];

const upAt = (ip: string) => ({
  sandboxes: [{ id: 's1', state: 0 as const, network: { ip } }],
  containers: [],
  observedAt: 0,
});

function killer(exitCode = 0) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const stops: { containerId?: string; timeout?: number }[] = [];
  const called: string[] = [];
  const parts: KillParts = {
    clock,
    logger: silentLogger,
    hostIps: ['192.168.0.7'],
    prober: { callHook: async ({ podIp }) => void called.push(podIp) },
    recorder: { event: (_about, _type, reason, message) => void events.push(`${reason}: ${message}`) },
    runtime: {
      execSync: async () => ({ exitCode, stderr: new TextEncoder().encode('password=secret') }),
      stopContainer: async (request) => {
        stops.push(request);
        return {};
      },
    },
  };
  const kill = (preStop: Hook, graceSeconds: number, pod = makePod()) =>
    killContainer(
      parts,
      { ...newPodWork(pod, [], new AbortController().signal), state: upAt('10.0.0.5') },
      {
        signal: new AbortController().signal,
        container: { name: 'web', ...(preStop && { lifecycle: { preStop } }) },
        id: 'c1',
        graceSeconds,
      },
    );
  return { clock, kill, events, called, timeouts: () => stops.map(({ timeout }) => timeout) };
}

const stopping = 'Killing: Stopping container web';

describe('killContainer', () => {
  test('K28.3 records that the container is being stopped, with its grace period', async () => {
    const { kill, events, timeouts } = killer();
    await kill(undefined, 30);
    expect([events, timeouts()]).toEqual([[stopping], [30]]);
  });

  test.each([
    { name: 'K28.4 takes the time of the preStop hook from the grace period', sleep: 10, grace: 30, left: 20 },
    { name: 'K28.5 leaves two seconds after a preStop hook that took nearly all', sleep: 29, grace: 30, left: 2 },
    { name: 'K28.4 gives up on a preStop hook when the grace period is over', sleep: 60, grace: 30, left: 2 },
    { name: 'K28.4 does not run the preStop hook without a grace period', sleep: 10, grace: 0, left: 0 },
  ])('$name', async ({ sleep, grace, left }) => {
    const { clock, kill, timeouts } = killer();
    const killing = kill({ sleep: { seconds: sleep } }, grace);
    await clock.advance(60_000);
    await killing;
    expect(timeouts()).toEqual([left]);
  });

  test('K28.4 records that a preStop hook failed, without its output, and continues', async () => {
    const { kill, events, timeouts } = killer(1);
    await kill({ exec: { command: ['false'] } }, 30);
    expect(events).toEqual([stopping, 'FailedPreStopHook: PreStopHook failed']);
    expect(timeouts()).toEqual([30]);
  });

  test('a preStop hook over HTTP goes to the address of the pod, or of the node whose network the pod shares', async () => {
    const { kill, called, events } = killer();
    await kill({ httpGet: { port: 80 } }, 30);
    await kill({ httpGet: { port: 80 } }, 30, makePod({ hostNetwork: true }));
    expect(called).toEqual(['10.0.0.5', '192.168.0.7']);
    expect(events).toEqual([stopping, stopping]);
  });

  test('a hook with a tcpSocket, which the API accepts, fails', async () => {
    const { kill, events, called } = killer();
    await kill({ tcpSocket: { port: 80 } }, 30);
    expect([events[1], called]).toEqual(['FailedPreStopHook: PreStopHook failed', []]);
  });

  test.each([-3_600_000, 3_600_000])('a clock that is set by %i ms changes no grace period', async (byMs) => {
    const { clock, kill, timeouts } = killer();
    const killing = kill({ sleep: { seconds: 10 } }, 30);
    await clock.advance(5_000);
    clock.setForward(byMs);
    await clock.advance(5_000);
    await killing;
    expect(timeouts()).toEqual([20]);
  });
});
