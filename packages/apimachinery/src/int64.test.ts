import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './decode-json.js';
import { decodeScalar } from './decode-scalar.js';
import { int64, int64OfDouble, integerOf } from './int64.js';
import { scalarCodecs } from './protobuf/scalar-codecs.js';
import { WireReader } from './protobuf/wire-reader.js';
import { WireWriter } from './protobuf/wire-writer.js';
import { readJson } from './read-json.js';
import { formatYaml, parseYaml } from './yaml/yaml.js';

const outermost = ['9223372036854775807', '-9223372036854775808', '9007199254740992', '-9007199254740993'];

describe.each(outermost)('%s keeps its digits', (digits) => {
  const exact = BigInt(digits);

  test('in JSON', () => {
    expect(parseJson(`{"a":${digits},"b":[ ${digits} ]}`).value).toEqual({ a: exact, b: [exact] });
    expect(parseJson(digits).value).toBe(exact);
  });

  test('in YAML', () => {
    expect(parseYaml(`a: ${digits}\nb: [${digits}]`)).toEqual({ a: exact, b: [exact] });
    expect(formatYaml({ a: exact })).toBe(`a: ${digits}\n`);
  });

  test('in a field of its type', () => {
    expect(decodeScalar('int64', exact)).toBe(exact);
    expect(decodeScalar('quantity', exact)).toBe(digits);
    expect(decodeScalar('double', exact)).toBe(Number(digits));
  });

  test('in protobuf', () => {
    const writer = new WireWriter();
    writer.int64(exact);
    expect(new WireReader(writer.finish()).int64()).toBe(exact);
  });
});

test.each([
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['9223372036854775808', 2 ** 63],
  ['18446744073709551616', 2 ** 64],
  ['-9223372036854775809', -(2 ** 63)],
  ['1e18', 1e18],
  ['1000000000000000000.0', 1e18],
  ['1.5', 1.5],
  ['1e300', 1e300],
])('%s is a number', (literal, value) => {
  expect(parseJson(`[${literal}]`).value).toEqual([value]);
  const asJson = readJson(JSON.stringify(value));
  expect(parseYaml(`- ${literal}`)).toEqual([asJson]);
});

test.each(['{"a":1e400}', '{"a":[1,-1e400]}'])('%s has a number out of range, which does not become null', (text) => {
  expect(() => parseJson(text)).toThrow(/cannot unmarshal number -?1e400 into Go value of type float64/);
});

test.each([
  ['int32', 9007199254740993n, 'cannot unmarshal number 9007199254740993 into int32'],
  ['intOrString', 9007199254740993n, 'cannot unmarshal number 9007199254740993 into int32'],
  ['int64', 2 ** 63, 'cannot unmarshal number 9223372036854776000 into int64'],
  ['string', 9007199254740993n, 'cannot unmarshal number 9007199254740993 into string'],
] as const)('a field of type %s refuses %s', (type, value, problem) => {
  expect(decodeScalar(type, value)).toEqual({ problem });
});

test('a double has the digits that JSON writes for it', () => {
  expect(int64OfDouble(2 ** 60)).toBe(1152921504606847000n);
  expect(int64OfDouble(2 ** 53 - 1)).toBe(2 ** 53 - 1);
  expect([2 ** 63, -(2 ** 63), 1.5, 1e300].map(int64OfDouble)).toEqual([undefined, undefined, undefined, undefined]);
});

test.each(['0x7fffffffffffffff', '-0x1f', '0b101', '0o17'])('%s has the value of its base', (literal) => {
  const exact = literal.startsWith('-') ? -BigInt(literal.slice(1)) : BigInt(literal);
  expect(integerOf(literal)).toBe(int64(exact));
});

test.each(['2562047h47m16.854775807s', '-2562047h47m16.854775808s', '2502h0m0.000000001s', '0s'])(
  'the duration %s keeps its nanoseconds in protobuf',
  (duration) => {
    const writer = new WireWriter();
    scalarCodecs.duration.write(writer, duration);
    expect(scalarCodecs.duration.read(new WireReader(writer.finish()))).toBe(duration);
  },
);

test('every int64 comes through JSON, YAML and protobuf', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (exact) => {
      const value = int64(exact);
      const writer = new WireWriter();
      writer.int64(value);
      const read = [parseJson(String(exact)).value, parseYaml(String(exact)), new WireReader(writer.finish()).int64()];
      expect(read).toEqual([value, value, value]);
    }),
  );
});
