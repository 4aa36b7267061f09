import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { RestartBackoff } from './restart-backoff.js';

describe('RestartBackoff', () => {
  test('K21.2 doubles from ten seconds to five minutes', async () => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock);
    const waits: number[] = [];
    for (let failures = 0; failures < 8; failures++) {
      waits.push(backoff.waitMs('a', clock.now()) / 1_000);
      await clock.advance(backoff.waitMs('a', clock.now()));
      backoff.next('a', clock.now());
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  test.each([
    { maxMs: 25_000, expected: [10, 20, 25, 25] },
    { maxMs: 4_000, expected: [4, 4, 4, 4] },
  ])('waits $maxMs ms at most if configured', ({ maxMs, expected }) => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock, maxMs);
    const delays = expected.map(() => {
      backoff.next('a', clock.now());
      return backoff.delayMs('a') / 1_000;
    });
    expect(delays).toEqual(expected);
  });

  test('a lower maximum does not shorten the reset period', async () => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock, 1_000);
    backoff.next('a', clock.now());
    await clock.advance(599_000);
    expect(backoff.waitMs('a', clock.now())).toBe(1_000);
  });

  test('K21.2 counts from the failure, not from the time of the call', async () => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock);
    backoff.next('a', clock.now());
    const failedAt = clock.now();
    await clock.advance(4_000);
    expect(backoff.waitMs('a', failedAt)).toBe(6_000);
  });

  test('K21.2 starts over after ten minutes without a restart', async () => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock);
    for (let failures = 0; failures < 3; failures++) backoff.next('a', clock.now());
    await clock.advance(600_001);
    expect(backoff.waitMs('a', clock.now())).toBe(0);
    backoff.next('a', clock.now());
    expect(backoff.delayMs('a')).toBe(10_000);
  });

  test('keeps unrelated keys apart, and removes by prefix', () => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock);
    backoff.next('u1/a', clock.now());
    backoff.failed('u2/a', 'no such image');
    backoff.forget('u1/');
    expect([backoff.delayMs('u1/a'), backoff.delayMs('u2/a'), backoff.lastError('u2/a')]).toEqual([
      0,
      10_000,
      'no such image',
    ]);
  });

  test.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('waits as long when the clock of the machine is set %s', async (_, byMs) => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock);
    backoff.next('a', clock.now());
    const failedAt = clock.now();
    const first = backoff.waitMs('a', failedAt);
    clock.setForward(byMs);
    await clock.advance(4_000);
    expect([first, backoff.waitMs('a', failedAt)]).toEqual([10_000, 6_000]);
    backoff.next('a', failedAt);
    expect(backoff.delayMs('a')).toBe(20_000);
  });

  test('waits no longer than its delay for a failure that the runtime dates ahead', async () => {
    const clock = new VirtualClock();
    const backoff = new RestartBackoff(clock);
    backoff.next('a', clock.now());
    expect(backoff.waitMs('a', clock.now() + 3_600_000)).toBe(10_000);
    await clock.advance(10_000);
    expect(backoff.waitMs('a', clock.now() - 10_000 + 3_600_000)).toBe(0);
  });
});
