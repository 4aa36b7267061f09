import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import {
  BucketRateLimiter,
  defaultRateLimiter,
  ExponentialRateLimiter,
  FastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  withJitter,
  withMaxWait,
} from './rate-limiter.js';

describe('rate limiters', () => {
  const exponential = () => new ExponentialRateLimiter<string>({ baseMs: 1, maxMs: 1_000 });
  const fastSlow = () => new FastSlowRateLimiter<string>({ fastMs: 5, slowMs: 100, fastTries: 2 });
  const cases: { name: string; limiter: RateLimiter<string>; delays: number[] }[] = [
    { name: 'WQ-18 doubles', limiter: exponential(), delays: [1, 2, 4, 8, 16] },
    {
      name: 'WQ-18 stops at its bound, far beyond what a number can hold',
      limiter: new ExponentialRateLimiter({ baseMs: 300, maxMs: 1_000 }),
      delays: [300, 600, 1_000, ...Array(2_000).fill(1_000)],
    },
    { name: 'WQ-19 is fast at first, then slow', limiter: fastSlow(), delays: [5, 5, 100, 100] },
    {
      name: 'WQ-20 takes the longest of several',
      limiter: new MaxOfRateLimiter([exponential(), fastSlow()]),
      delays: [5, 5, 100, 100, 100, 100, 100, 128],
    },
    { name: 'WQ-21 waits no longer than the limit', limiter: withMaxWait(exponential(), 3), delays: [1, 2, 3, 3] },
    {
      name: 'WQ-17 lets a burst through, then a token at a time',
      limiter: new BucketRateLimiter({ clock: new VirtualClock(), perSecond: 10, burst: 2 }),
      delays: [0, 0, 100, 200, 300],
    },
  ];

  test.each(cases)('$name', ({ limiter, delays }) => {
    expect(delays.map(() => limiter.when('a'))).toEqual(delays);
  });

  test('WQ-16 forgets one key and keeps another', () => {
    const limiter = defaultRateLimiter<string>(new VirtualClock());
    for (const key of ['a', 'a', 'b']) limiter.when(key);
    limiter.forget('a');
    expect({ a: limiter.retries('a'), b: limiter.retries('b'), next: limiter.when('a') }).toEqual({
      a: 0,
      b: 1,
      next: 5,
    });
  });

  test.each([-3_600_000, 3_600_000])('a bucket holds what it held when the time of day is set by %d ms', (ms) => {
    const clock = new VirtualClock();
    const limiter = new BucketRateLimiter({ clock, perSecond: 10, burst: 2 });
    limiter.when();
    clock.setForward(ms);
    expect([limiter.when(), limiter.when()]).toEqual([0, 100]);
  });

  test('WQ-17 the bucket fills again as time passes, and never beyond its size', async () => {
    const clock = new VirtualClock();
    const limiter = new BucketRateLimiter({ clock, perSecond: 10, burst: 1 });
    const first = [limiter.when(), limiter.when()];
    await clock.advance(60_000);
    expect([...first, limiter.when(), limiter.when()]).toEqual([0, 100, 0, 100]);
  });

  test('WQ-22 the default is 5 ms doubling to 1000 s', () => {
    const limiter = defaultRateLimiter<string>(new VirtualClock());
    const delays = Array.from({ length: 20 }, () => limiter.when('a'));
    expect([delays[0], delays[1], delays[19]]).toEqual([5, 10, 1_000_000]);
  });

  test('jitter adds up to its share', () => {
    const limiter = withJitter(new FastSlowRateLimiter<string>({ fastMs: 100, slowMs: 100, fastTries: 0 }), {
      share: 0.5,
      random: seededRandom(1),
    });
    const delays = Array.from({ length: 100 }, () => limiter.when('a'));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...delays)).toBeLessThan(150);
    expect(new Set(delays).size).toBeGreaterThan(90);
  });
});
