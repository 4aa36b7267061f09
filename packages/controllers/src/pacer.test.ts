import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { Pacer } from './pacer.js';

test('a burst passes at once, then one at a time; idle time restores the burst', async () => {
  const clock = new VirtualClock();
  const pacer = new Pacer(clock, { burst: 3, perSecond: 10 });
  const passes = () => Array.from({ length: 5 }, () => pacer.waitFor('a') === 0).filter(Boolean).length;
  expect(passes()).toBe(3);
  expect(pacer.waitFor('a')).toBe(100);
  await clock.advance(100);
  expect(passes()).toBe(1);
  await clock.advance(10_000);
  expect(passes()).toBe(3);
});

test('requests without work do not count', () => {
  const pacer = new Pacer(new VirtualClock(), { burst: 1, perSecond: 1 });
  for (let i = 0; i < 5; i++) {
    expect(pacer.waitFor('a')).toBe(0);
    pacer.giveBack('a');
  }
});

test('keys do not wait for each other', () => {
  const pacer = new Pacer(new VirtualClock(), { burst: 1, perSecond: 1 });
  expect([pacer.waitFor('a'), pacer.waitFor('b'), pacer.waitFor('a')]).toEqual([0, 0, 1000]);
});

test('work waits no longer when the time of day is set back', () => {
  const clock = new VirtualClock();
  const pacer = new Pacer(clock, { burst: 1, perSecond: 1 });
  pacer.waitFor('a');
  clock.setForward(-3_600_000);
  expect(pacer.waitFor('a')).toBe(1000);
});
