import { expect, test } from 'vitest';
import { andThen } from './maybe-promise.js';

test('continues at once with an available value', () => {
  expect(andThen(1, (one) => one + 1)).toBe(2);
});

test('continues with a later value when it arrives', async () => {
  const later = andThen(Promise.resolve(1), (one) => one + 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
});
