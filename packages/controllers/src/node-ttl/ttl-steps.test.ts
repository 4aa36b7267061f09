import { expect, test } from 'vitest';
import { ttlStep } from './ttl-steps.js';

test.each([
  [1, 0, 0],
  [100, 0, 0],
  [101, 0, 15],
  [95, 1, 15],
  [89, 1, 0],
  [700, 0, 30],
  [1500, 0, 60],
  [5000, 0, 300],
  [20_000, 0, 600],
  [3, 5, 0],
])('%i nodes, coming from step %i: %i s', (count, from, ttlSeconds) => {
  expect(ttlStep(count, from).ttlSeconds).toBe(ttlSeconds);
});
