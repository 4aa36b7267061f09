import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { TimeBudget } from './time-budget.js';

test('CACHE-21 the time of slow watchers is a tenth of a second, and grows by half of that in a second', async () => {
  const clock = new VirtualClock();
  const budget = new TimeBudget(clock);
  expect(budget.take()).toBe(100);
  expect(budget.take()).toBe(0);
  await clock.advance(500);
  expect(budget.take()).toBe(25);
  await clock.advance(60_000);
  expect(budget.take()).toBe(100);
});

test('CACHE-21 unused time is available to the next, up to the limit', () => {
  const budget = new TimeBudget(new VirtualClock());
  const taken = budget.take();
  budget.giveBack(taken - 30);
  expect(budget.take()).toBe(70);
  budget.giveBack(-5);
  budget.giveBack(1_000);
  expect(budget.take()).toBe(100);
});

test.each([-3_600_000, 3_600_000])('the budget is the same when the time of day is set by %d ms', (ms) => {
  const clock = new VirtualClock();
  const budget = new TimeBudget(clock);
  budget.giveBack(budget.take() - 30);
  clock.setForward(ms);
  expect(budget.take()).toBe(70);
});
