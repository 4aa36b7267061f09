import { expect, test } from 'vitest';
import { sortKeys } from './sort-keys.js';

test('the keys of all objects are in order, items stay in theirs', () => {
  const sorted = sortKeys({ b: [{ d: 1, c: 2n }, 0], a: null });
  expect(Object.keys(sorted as object)).toEqual(['a', 'b']);
  expect(Object.keys((sorted as { b: object[] }).b[0] as object)).toEqual(['c', 'd']);
  expect(sorted).toEqual({ a: null, b: [{ c: 2n, d: 1 }, 0] });
});

test('__proto__ is a key like any other', () => {
  expect(Object.keys(sortKeys(JSON.parse('{"b":1,"__proto__":2}')) as object)).toEqual(['__proto__', 'b']);
});
