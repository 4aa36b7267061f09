import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepCopy } from './deep-copy.js';
import { deepEqual } from './deep-equal.js';

describe('deepEqual', () => {
  const different: [unknown, unknown][] = [
    [1, '1'],
    [null, undefined],
    [null, {}],
    [[], {}],
    [{}, []],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, { b: undefined }],
    [{ toString: 1 }, { valueOf: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
  ];

  test.each(different)('tells %j from %j', (a, b) => {
    expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([false, false]);
  });

  test('ignores the order of keys', () => {
    expect(deepEqual({ a: 1, b: { c: [1], d: null } }, { b: { d: null, c: [1] }, a: 1 })).toBe(true);
  });

  test('a value equals its copy', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => deepEqual(value, deepCopy(value))));
  });
});
