import { nextPoll } from '@coracle/base';
import { expect, test } from 'vitest';
import { systemClock } from './system-clock.js';

/** Iterations of the event loop that go by while code waits 40 times. */
async function iterationsOf(wait: () => Promise<void> | undefined): Promise<number> {
  let iterations = 0;
  let isOver = false;
  const count = () => {
    iterations++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  for (let turns = 0; turns < 40; turns++) await wait();
  isOver = true;
  return iterations;
}

test('code that waits for sockets to be looked at goes on twice at most in one iteration of the event loop', async () => {
  expect(await iterationsOf(nextPoll)).toBeGreaterThanOrEqual(18);
});

test('code that waits for them by the clock of the system goes on once', async () => {
  expect(await iterationsOf(() => systemClock.nextPoll?.())).toBeGreaterThanOrEqual(39);
});
