import type { Taint, Toleration } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { EvictionTimers } from './eviction-timers.js';
import { planEviction } from './plan-eviction.js';

const taint = (key: string): Taint => ({ key, effect: 'NoExecute' });
const bears = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

/** In objects that were read from JSON it is a bigint. */
const most = (2n ** 63n - 1n) as unknown as number;

describe('NL-11 the effect of taints on a pod', () => {
  test.each<[string, Taint[], Toleration[], object]>([
    ['without taints it stays', [], [], { kind: 'stay' }],
    ['a taint that it does not bear makes it go now', [taint('a')], [bears('b')], { kind: 'go-after', delayMs: 0 }],
    ['it goes when its patience is over', [taint('a')], [bears('a', 300)], { kind: 'go-after', delayMs: 300_000 }],
    [
      'the shortest patience counts',
      [taint('a'), taint('b')],
      [bears('a', 300), bears('b', 5)],
      { kind: 'go-after', delayMs: 5000 },
    ],
    [
      'of the largest int64 the shorter one counts too',
      [taint('a'), taint('b')],
      [bears('a', most), bears('b', 5)],
      { kind: 'go-after', delayMs: 5000 },
    ],
    ['no patience at all is none', [taint('a')], [bears('a', -1)], { kind: 'go-after', delayMs: 0 }],
    ['it may stay for ever', [taint('a')], [bears('a')], { kind: 'stay' }],
    ['the first of several tolerations counts', [taint('a')], [bears('a'), bears('a', 5)], { kind: 'stay' }],
    [
      'one limit among several counts',
      [taint('a'), taint('b')],
      [bears('a'), bears('b', 7)],
      { kind: 'go-after', delayMs: 7000 },
    ],
  ])('%s', (_name, taints, tolerations, plan) => {
    expect(planEviction(taints, tolerations)).toEqual(plan);
  });
});

describe('timers of evictions', () => {
  test('NL-11d another sync does not extend the time', async () => {
    const clock = new VirtualClock();
    const evicted: string[] = [];
    const timers = new EvictionTimers(clock, (key) => void evicted.push(key));
    timers.schedule('n/p', 'u', 10_000);
    await clock.advance(6000);
    timers.schedule('n/p', 'u', 10_000);
    await clock.advance(4000);
    expect(evicted).toEqual(['n/p']);
  });

  test('a pod of the same name starts again, and a cancelled one stays', async () => {
    const clock = new VirtualClock();
    const evicted: string[] = [];
    const timers = new EvictionTimers(clock, (key) => void evicted.push(key));
    timers.schedule('n/p', 'old', 10_000);
    await clock.advance(6000);
    timers.schedule('n/p', 'new', 10_000);
    await clock.advance(6000);
    expect(evicted).toEqual([]);
    expect([timers.cancel('n/p'), timers.cancel('n/p')]).toEqual([true, false]);
    await clock.advance(60_000);
    expect(evicted).toEqual([]);
  });
});
