import { describe, expect, test } from 'vitest';
import { extendStreak, noFailures, remainingBackoff } from './pod-backoff.js';

describe('the wait before the next pod', () => {
  test.each([
    [0, 0],
    [1, 10_000],
    [2, 20_000],
    [3, 40_000],
    [6, 320_000],
    [7, 600_000],
    [50, 600_000],
  ])('after %i failures is %i ms', (failures, expected) => {
    expect(remainingBackoff({ failures, lastAt: 5 }, 5)).toBe(expected);
  });

  test('counts from the last failure', () => {
    expect(remainingBackoff({ failures: 1, lastAt: 1000 }, 4000)).toBe(7000);
    expect(remainingBackoff({ failures: 1, lastAt: 1000 }, 60_000)).toBe(0);
  });
});

describe('a streak of failures', () => {
  const streak = { failures: 2, lastAt: 100 };

  test.each([
    ['grows with each', { failed: [200, 300], succeeded: [] }, { failures: 4, lastAt: 300 }],
    ['ends with a success', { failed: [], succeeded: [200] }, noFailures],
    ['begins again after a success', { failed: [150, 300], succeeded: [200] }, { failures: 1, lastAt: 300 }],
    ['stays when nothing ends', { failed: [], succeeded: [] }, streak],
  ])('%s', (_name, ended, expected) => {
    expect(extendStreak(streak, ended)).toEqual(expected);
  });
});
