import { expect, test } from 'vitest';
import { deepFreeze } from './deep-freeze.js';

test('freezes to the depths and returns the value itself', () => {
  const value = { list: [{ a: 1 }], map: { b: { c: 2 } } };
  expect(deepFreeze(value)).toBe(value);
  expect(() => (value.list[0]!.a = 2)).toThrow(TypeError);
  expect(() => value.list.push({ a: 3 })).toThrow(TypeError);
  expect(() => (value.map.b.c = 3)).toThrow(TypeError);
});

test('skips values that cannot be frozen', () => {
  expect([deepFreeze(null), deepFreeze('a'), deepFreeze(1)]).toEqual([null, 'a', 1]);
});
