import { expect, test } from 'vitest';
import { aborted } from './aborted.js';

test('resolves when the signal aborts, and at once if it has', async () => {
  const aborter = new AbortController();
  let ended = false;
  const waiting = aborted(aborter.signal).then(() => {
    ended = true;
  });
  await Promise.resolve();
  expect(ended).toBe(false);
  aborter.abort();
  await waiting;
  await aborted(aborter.signal);
  expect(ended).toBe(true);
});
