import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { retryLimiter } from './retry-limiter.js';

test('NS-3 the delay of a key that keeps failing doubles, up to a maximum', () => {
  const limiter = retryLimiter(new VirtualClock(), { baseMs: 5, maxMs: 60_000 });
  const waits = Array.from({ length: 16 }, () => limiter.when('a'));
  expect([waits[0], waits[1], waits[2], waits[13], waits[14], waits[15]]).toEqual([5, 10, 20, 40_960, 60_000, 60_000]);
  limiter.forget('a');
  expect(limiter.when('a')).toBe(5);
});

test('KCM-43 many keys that fail at once are spread out', () => {
  const limiter = retryLimiter(new VirtualClock(), { baseMs: 5, maxMs: 60_000 });
  const waits = Array.from({ length: 120 }, (_, key) => limiter.when(String(key)));
  expect([waits[99], waits[119]]).toEqual([5, 2000]);
});
