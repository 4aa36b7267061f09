import { expect, test } from 'vitest';
import { andThen } from './maybe-promise.js';

test('goes on at once with a value that is there', () => {
  expect(andThen(1, (one) => one + 1)).toBe(2);
});

test('goes on with a value that comes later when it is there', async () => {
  const later = andThen(Promise.resolve(1), (one) => one + 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
});
