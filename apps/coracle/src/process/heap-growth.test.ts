import { expect, test } from 'vitest';
import { growthOf } from './heap-growth.js';

const mebibytes = 1024 * 1024;

test.each([
  { size: 80, before: 50, percent: 100 },
  { size: 130, before: 100, percent: 100 },
  { size: 130, before: 50, percent: 50 },
  { size: 160, before: 100, percent: 50 },
])('a heap of $size MiB that grew by $before % grows by $percent %', ({ size, before, percent }) => {
  expect(growthOf(size * mebibytes, before)).toBe(percent);
});
