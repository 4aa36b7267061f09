import { nextPoll } from '@coracle/base';
import { expect, test } from 'vitest';

test('code that waits for sockets to be looked at goes on once in an iteration of the event loop', async () => {
  let iterations = 0;
  let isOver = false;
  const count = () => {
    iterations++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  for (let turns = 0; turns < 40; turns++) await nextPoll();
  isOver = true;
  expect(iterations).toBeGreaterThanOrEqual(39);
});
