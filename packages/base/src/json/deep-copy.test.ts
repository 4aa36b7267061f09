import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepCopy } from './deep-copy.js';

test('the copy equals the value and shares nothing with it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const input = JSON.parse(JSON.stringify(value));
      const copy = deepCopy(input);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(input));
      if (typeof input === 'object' && input !== null) expect(copy).not.toBe(input);
    }),
  );
});

test('changing the copy does not change the value', () => {
  const value = { list: [{ a: 1 }], map: { b: { c: 2 } } };
  const copy = deepCopy(value);
  copy.list[0]!.a = 9;
  copy.map.b.c = 9;
  expect(value).toEqual({ list: [{ a: 1 }], map: { b: { c: 2 } } });
});

test('__proto__ is copied as a key', () => {
  const copy = deepCopy(JSON.parse('{"__proto__":{"polluted":true}}'));
  expect(Object.keys(copy)).toEqual(['__proto__']);
  expect(copy.polluted).toBeUndefined();
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});
