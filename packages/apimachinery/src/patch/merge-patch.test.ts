import { deepFreeze } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch, applyMergePatchToObject, createMergePatch } from './merge-patch.js';

/** The examples of RFC 7386, appendix A. */
const examples: [original: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('applyMergePatch', () => {
  it.each(examples)('%j with %j gives %j', (original, patch, result) => {
    expect(applyMergePatch(deepFreeze(original), deepFreeze(patch))).toEqual(result);
  });

  it('does not take a field called __proto__ for a prototype', () => {
    const merged = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged)).toEqual(['__proto__']);
  });

  it('rejects a patch after which the value is not an object', () => {
    expect(() => applyMergePatchToObject({}, [])).toThrow('error decoding patch');
  });
});

describe('createMergePatch', () => {
  it('is undefined for equal objects', () => {
    expect(createMergePatch({ a: [1], b: { c: 1 } }, { b: { c: 1 }, a: [1] })).toBeUndefined();
  });

  it('is the difference between two objects', () => {
    expect(createMergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { b: { c: 3, d: 2 }, e: [1, 2] })).toEqual({
      a: null,
      b: { c: 3 },
      e: [1, 2],
    });
  });

  it('is undone by applying it: apply(a, diff(a, b)) = b for all objects without null', () => {
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const patch = createMergePatch(a, b);
        expect(patch === undefined ? a : applyMergePatch(a, patch)).toEqual(b);
      }),
    );
  });
});

const { fields } = fc.letrec<{ fields: Record<string, unknown>; value: unknown }>((tie) => ({
  fields: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer()), tie('fields')),
}));
