import { expect, test } from 'vitest';
import { ownValue } from './own-value.js';

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'b'])('%s is in no table that lacks it', (key) => {
  expect(ownValue({ a: 1 }, key)).toBeUndefined();
});

test('own properties are found, with any name', () => {
  expect([ownValue({ a: 1 }, 'a'), ownValue({ toString: 2 }, 'toString')]).toEqual([1, 2]);
});
