import { nextPoll } from '@coracle/base';
import { expect, test } from 'vitest';
import { systemClock } from './system-clock.js';

/** Number of iterations of the event loop while code waits 40 times. */
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

test('code that waits for a poll of sockets continues at most twice in one iteration of the event loop', async () => {
  expect(await iterationsOf(nextPoll)).toBeGreaterThanOrEqual(18);
});

test('with the system clock it continues once', async () => {
  expect(await iterationsOf(() => systemClock.nextPoll?.())).toBeGreaterThanOrEqual(39);
});
