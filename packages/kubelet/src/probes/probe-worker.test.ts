import type { Probe } from '@coracle/api';
import { sleep, VirtualClock } from '@coracle/base';
import { CriError, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { ProbeWorker } from './probe-worker.js';
import type { ProbeKind, ProbeResult } from './prober.js';

type Answer = 'ok' | 'odd' | 'bad' | 'error' | 'never';

interface Situation {
  readonly kind?: ProbeKind;
  readonly probe?: Partial<Probe>;
  /** The probe results, in order; the last one repeats. */
  readonly answers?: readonly Answer[];
  readonly mayProbe?: () => boolean;
  /** The runtime's result of a command. */
  readonly execSync?: RuntimeService['execSync'];
}

function answer(result: Answer): Promise<ProbeResult> {
  if (result === 'never') return new Promise(() => {});
  if (result === 'error') return Promise.reject(new Error('no route'));
  const outcomes = { ok: 'success', odd: 'warning', bad: 'failure' } as const;
  return Promise.resolve({ outcome: outcomes[result], output: result });
}

/** A container that started at 0, and its events: `second event`. */
function probing({ kind = 'readiness', probe = {}, answers = ['ok'], mayProbe = () => true, execSync }: Situation) {
  const clock = new VirtualClock({ startAt: 0 });
  const log: string[] = [];
  const note = (what: string) => log.push(`${clock.now() / 1_000} ${what}`);
  const pod = makePod();
  const [container = { name: 'web', image: 'nginx' }] = pod.spec?.containers ?? [];
  const outcomes: string[] = [];
  let count = 0;
  const worker = new ProbeWorker({
    clock,
    // Most probes connect to a port.
    runtime: { execSync } as RuntimeService,
    prober: {
      probe: () => {
        note('asked');
        return answer(answers[Math.min(count++, answers.length - 1)] ?? 'ok');
      },
      callHook: async () => undefined,
    },
    request: { kind, pod, container, containerId: 'c1', podIp: '10.0.0.5', probe: { httpGet: { port: 80 }, ...probe } },
    startedAt: 0,
    mayProbe,
    count: (_request, outcome) => void outcomes.push(outcome),
    onChange: (healthy) => note(healthy ? 'healthy' : 'unhealthy'),
    onFailure: ({ output }) => note(`failed: ${output}`),
    onWarning: ({ output }) => note(`warned: ${output}`),
    onError: (error) => note(`errored: ${error instanceof Error ? error.message : error}`),
  });
  return { clock, log, worker, outcomes, probeTimes: () => log.filter((line) => line.endsWith('asked')) };
}

describe('K24.3 when a container is probed', () => {
  test.each<[string, Partial<Probe>, readonly number[]]>([
    ['at once, and then every ten seconds', {}, [0, 10, 20, 30]],
    ['once a period', { periodSeconds: 15 }, [0, 15, 30]],
    ['not before its initial delay', { initialDelaySeconds: 12, periodSeconds: 9 }, [12, 21, 30]],
  ])('%s', async (_, probe, seconds) => {
    const { clock, probeTimes } = probing({ probe });
    await clock.advance(30_000);
    expect(probeTimes()).toEqual(seconds.map((second) => `${second} asked`));
  });

  test('no longer, once it is not needed', async () => {
    const { clock, probeTimes, worker } = probing({ probe: { periodSeconds: 1 } });
    await clock.advance(2_000);
    worker[Symbol.dispose]();
    await clock.advance(10_000);
    expect(probeTimes()).toEqual(['0 asked', '1 asked', '2 asked']);
  });

  test('K24.4 not before it has started', async () => {
    let started = false;
    const { clock, probeTimes, worker } = probing({ probe: { periodSeconds: 10 }, mayProbe: () => started });
    await clock.advance(25_000);
    expect(probeTimes()).toEqual([]);
    started = true;
    worker.trigger();
    await clock.advance(10_000);
    expect(probeTimes()).toEqual(['25 asked', '35 asked']);
  });
});

describe('K24.3 results of probes', () => {
  const second = { periodSeconds: 1 };

  test.each<[string, Situation, readonly string[]]>([
    ['a container is ready after its first success', { answers: ['ok'] }, ['0 healthy']],
    ['or after successThreshold successes', { answers: ['ok'], probe: { successThreshold: 3 } }, ['2 healthy']],
    [
      'a success with a warning counts as one without, and is reported',
      { answers: ['ok', 'odd', 'ok'], probe: { successThreshold: 3 } },
      ['1 warned: odd', '2 healthy'],
    ],
    [
      'one failure between begins the count again',
      { answers: ['ok', 'ok', 'bad', 'ok'], probe: { successThreshold: 3 } },
      ['2 failed: bad', '5 healthy'],
    ],
    [
      'three failures in a row make it unready',
      { answers: ['ok', 'bad', 'bad', 'ok', 'bad', 'bad', 'bad', 'ok'] },
      [
        '0 healthy',
        '1 failed: bad',
        '2 failed: bad',
        '4 failed: bad',
        '5 failed: bad',
        '6 failed: bad',
        '6 unhealthy',
        '7 healthy',
      ],
    ],
    [
      'or after successThreshold successes, and it may become ready again',
      { answers: ['ok', 'bad', 'ok'], probe: { failureThreshold: 1 } },
      ['0 healthy', '1 failed: bad', '1 unhealthy', '2 healthy'],
    ],
    ['a container is alive until it says otherwise', { kind: 'liveness', answers: ['ok'] }, []],
    [
      'after a liveness failure there are no more probes',
      { kind: 'liveness', answers: ['ok', 'bad'], probe: { failureThreshold: 2 } },
      ['1 failed: bad', '2 failed: bad', '2 unhealthy'],
    ],
    [
      'a container that does not start is unhealthy at failureThreshold',
      { kind: 'startup', answers: ['bad'], probe: { failureThreshold: 4 } },
      ['0 failed: bad', '1 failed: bad', '2 failed: bad', '3 failed: bad', '3 unhealthy'],
    ],
    [
      'what cannot be found out counts for nothing',
      { answers: ['ok', 'error', 'error', 'error', 'ok'], probe: { failureThreshold: 1 } },
      ['0 healthy', '1 errored: no route'],
    ],
    ['and is tried again at once', { answers: ['error', 'error', 'ok'] }, ['0 healthy']],
  ])('%s', async (_, situation, expected) => {
    const { clock, log } = probing({ ...situation, probe: { ...second, ...situation.probe } });
    await clock.advance(8_000);
    expect(log.filter((line) => !line.endsWith('asked')).slice(0, expected.length + 1)).toEqual(expected);
  });

  test.each([
    [1, undefined],
    [3, 3],
  ])('a response that takes longer than %i s is a failure', async (seconds, timeoutSeconds) => {
    const timeout = timeoutSeconds === undefined ? {} : { timeoutSeconds };
    const { clock, log } = probing({ answers: ['never', 'ok'], probe: { periodSeconds: 10, ...timeout } });
    await clock.advance(9_000);
    expect(log).toEqual(['0 asked', `${seconds} failed: context deadline exceeded`]);
  });
});

test('a disposed worker leaves no timer behind, and counts nothing any more', async () => {
  const { clock, log, worker, outcomes } = probing({ answers: ['never'], probe: { timeoutSeconds: 600 } });
  await clock.advance(1_000);
  worker[Symbol.dispose]();
  expect(clock.pending).toBe(0);
  await clock.settle();
  expect([log, outcomes]).toEqual([['0 asked'], []]);
});

test("a command that takes too long is a failure by the runtime's timeout alone", async () => {
  const exec = { command: ['sleep', '9'] };
  const failed = '0 failed: command timed out: "sleep 9" timed out after 1s';
  const execSync = () => Promise.reject(new CriError('DeadlineExceeded', 'timeout 1s exceeded'));
  const late = probing({ probe: { exec }, execSync });
  await late.clock.advance(500);
  expect(late.log).toEqual([failed]);
});

test('a runtime that is slow to start a command does not fail the container', async () => {
  const clocks: VirtualClock[] = [];
  const execSync = async () => {
    for (const clock of clocks) await sleep(clock, 5_000);
    return { exitCode: 0 };
  };
  const slow = probing({ kind: 'liveness', probe: { exec: { command: ['true'] }, failureThreshold: 1 }, execSync });
  clocks.push(slow.clock);
  await slow.clock.advance(60_000);
  expect([slow.log, slow.outcomes[0]]).toEqual([[], 'successful']);
});

test('a clock that is set changes no initial delay', async () => {
  const { clock, probeTimes, worker } = probing({ probe: { initialDelaySeconds: 12 } });
  clock.setForward(-3_600_000);
  worker.trigger();
  await clock.advance(12_000);
  expect(probeTimes()).toHaveLength(1);
});
