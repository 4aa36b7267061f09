import { expect, test } from 'vitest';
import { parsePercent, scaledValue } from './int-or-string.js';

test.each([
  [3, 10, 'up', 3],
  ['25%', 10, 'up', 3],
  ['25%', 10, 'down', 2],
  ['0%', 10, 'up', 0],
  ['100%', 7, 'down', 7],
  ['29%', 100, 'down', 29],
  ['http', 10, 'up', undefined],
  ['10', 10, 'up', undefined],
] as const)('%s of %d, rounded %s, is %s', (value, total, rounding, expected) => {
  expect(scaledValue(value, total, rounding)).toBe(expected);
});

test('percentages are whole numbers with a sign behind', () => {
  expect([parsePercent('10%'), parsePercent('1.5%'), parsePercent('-1%'), parsePercent('%')]).toEqual([
    10,
    undefined,
    undefined,
    undefined,
  ]);
});
