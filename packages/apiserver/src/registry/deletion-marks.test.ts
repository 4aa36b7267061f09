import type { KubeObject } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { markForDeletion } from './deletion-marks.js';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [30, '2026-01-01T00:00:30Z'],
  [0, '2026-01-01T00:00:00Z'],
  [9_000_000_000, '2311-03-15T16:00:00Z'],
  // Nanoseconds in 64 bits, which begin again below zero.
  [2n ** 63n - 1n, '2025-12-31T23:59:59Z'],
  [2 ** 53 - 1, '2172-02-20T23:53:37Z'],
])('an object that may live %s seconds is to go at %s', (seconds, deletionTimestamp) => {
  const object = { metadata: {} } as KubeObject;
  markForDeletion(object, now, seconds as number);
  expect(object.metadata).toEqual({ deletionTimestamp, deletionGracePeriodSeconds: seconds });
});
