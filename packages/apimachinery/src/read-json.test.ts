import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './decode-json.js';
import { mayHoldInt64, readJson } from './read-json.js';
import { writeJson } from './write-json.js';

const most = 9223372036854775807n;

describe('readJson', () => {
  test.each([
    ['9223372036854775807', most],
    [' -9223372036854775808 ', -most - 1n],
    ['{"a":9223372036854775807}', { a: most }],
    ['{"a" : [ 1 , -9223372036854775807 ] }', { a: [1, -most] }],
    ['{"a":{"b":[{"c":9223372036854775807},2]}}', { a: { b: [{ c: most }, 2] } }],
    [
      '{"a":"9223372036854775807","b":": 9223372036854775807,"}',
      { a: '9223372036854775807', b: ': 9223372036854775807,' },
    ],
    ['{"9223372036854775807":1}', { '9223372036854775807': 1 }],
    ['{"a":9223372036854775807.0,"b":9.223372036854775807e18}', { a: 2 ** 63, b: 2 ** 63 }],
    ['{"a":0.1234567890123456789}', { a: 0.12345678901234568 }],
    ['{"\\u0061":9223372036854775807}', { a: most }],
  ])('%s', (text, value) => {
    expect(readJson(text)).toEqual(value);
  });

  test.each([
    ['{"a":9007199254740993,"a":9007199254740992}', { a: 9007199254740992n }],
    ['{"a":9007199254740993,"a":9007199254740992.0}', { a: 9007199254740992 }],
    ['{"a":{"b":9007199254740993},"a":5}', { a: 5 }],
    ['{"a":{"b":9007199254740993},"a":{"c":1}}', { a: { c: 1 } }],
    ['{"a":[9007199254740993],"a":"x"}', { a: 'x' }],
  ])('of a key that comes twice the last value counts: %s', (text, value) => {
    expect(readJson(text)).toEqual(value);
  });

  test('__proto__ is a key like any other', () => {
    const value = readJson('{"__proto__":{"a":9223372036854775807}}') as object;
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ a: most });
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test('bad text is a SyntaxError', () => {
    expect(() => readJson('{"a":9223372036854775807')).toThrow(SyntaxError);
  });
});

test('integers are restored however deep they are', () => {
  const numbers = Array.from({ length: 50_000 }, () => most).join();
  const depth = 900;
  const text = `${'['.repeat(depth)}${numbers}${']'.repeat(depth)}`;
  let value = parseJson(text).value as unknown[];
  for (let i = 1; i < depth; i++) value = value[0] as unknown[];
  expect(new Set(value)).toEqual(new Set([most]));
  const sides = `${'['.repeat(depth)}1${`,${most}]`.repeat(depth)}`;
  expect(writeJson(readJson(sides))).toBe(sides);
});

test('a run of 16 digits is found wherever it stands', () => {
  for (let before = 0; before < 40; before++) {
    const blanks = ' '.repeat(before);
    expect(mayHoldInt64(`[${blanks}9007199254740993]`)).toBe(true);
    expect(mayHoldInt64(`[${blanks}900719925474099]`)).toBe(false);
    expect(mayHoldInt64(`[${blanks}"9007199254740993"]`)).toBe(false);
    expect(mayHoldInt64(`[${blanks}0.9007199254740993]`)).toBe(false);
  }
});

const int64Value = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test('what is written is read again, digit for digit', () => {
  const leaf: fc.Arbitrary<unknown> = fc.oneof(
    int64Value.map((one) => (one > 2n ** 53n - 1n || one < 1n - 2n ** 53n ? one : Number(one))),
    fc.double({ noDefaultInfinity: true, noNaN: true, max: 2 ** 52, min: -(2 ** 52) }).map((one) => one + 0),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), (one, indent) => {
      const text = writeJson(one, indent);
      expect(readJson(text)).toEqual(one);
      expect(writeJson(readJson(text), indent)).toBe(text);
    }),
  );
});

test('without large integers it writes what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2, 4), (value, indent) => {
      expect(writeJson(value, indent)).toBe(JSON.stringify(value, undefined, indent));
      const marked = writeJson({ value, one: 1n }, indent);
      expect(marked).toBe(JSON.stringify({ value, one: 1 }, undefined, indent));
    }),
  );
});

test('what JSON leaves out is left out', () => {
  expect(writeJson({ a: undefined, b: 1n, c: [undefined, 1n], d: new Date(0) })).toBe(
    '{"b":1,"c":[null,1],"d":"1970-01-01T00:00:00.000Z"}',
  );
  expect(writeJson(undefined)).toBeUndefined();
});

test('a circular value is refused as JSON.stringify refuses it', () => {
  const circle: Record<string, unknown> = { a: 1 };
  circle['self'] = circle;
  expect(() => writeJson(circle)).toThrow(TypeError);
});
