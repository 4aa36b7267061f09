import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { keepTable } from './keep-table.js';

test('a table that was flushed is written again, and tried again where that fails', async () => {
  const clock = new VirtualClock();
  let isThere = true;
  let writes = 0;
  using _watch = keepTable({
    table: 'inet nat',
    hasTable: async () => isThere,
    write: async () => {
      if (++writes === 1) throw new Error('busy');
      isThere = true;
    },
    clock,
    logger: silentLogger,
  });
  await clock.advance(120_000);
  expect(writes).toBe(0);
  isThere = false;
  await clock.advance(31_000);
  expect([writes, isThere]).toEqual([1, false]);
  await clock.advance(30_000);
  expect([writes, isThere]).toEqual([2, true]);
  await clock.advance(120_000);
  expect(writes).toBe(2);
});
