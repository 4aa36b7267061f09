import { describe, expect, test } from 'vitest';
import { parseJson } from './decode-json.js';
import { decodeScalar } from './decode-scalar.js';
import { WireReader } from './protobuf/wire-reader.js';
import { parseYaml } from './yaml/yaml.js';

const most = 2n ** 63n - 1n;

/** A Go client reads digits, and refuses those beyond int64. */
function fitsInt64(value: unknown): boolean {
  const digits = BigInt(JSON.stringify(value));
  return digits >= -most - 1n && digits <= most;
}

describe.each(['9223372036854775807', '-9223372036854775808'])('the outermost int64 %s stays one', (digits) => {
  test('in JSON', () => {
    const { value } = parseJson(`{"a":${digits},"b":[${digits}]}`) as { value: { a: number; b: number[] } };
    expect([fitsInt64(value.a), fitsInt64(value.b[0])]).toEqual([true, true]);
  });

  test('in YAML', () => {
    expect(fitsInt64((parseYaml(`a: ${digits}`) as { a: number }).a)).toBe(true);
  });

  test('in a field of its type', () => {
    expect(fitsInt64(decodeScalar('int64', Number(digits)))).toBe(true);
  });

  test('in protobuf', () => {
    const [body, last] = digits.startsWith('-')
      ? [new Uint8Array(9).fill(0x80), 1]
      : [new Uint8Array(8).fill(0xff), 0x7f];
    const value = new WireReader(Uint8Array.of(...body, last)).varint();
    expect(fitsInt64(value)).toBe(true);
  });
});

test.each(['{"a":1e400}', '{"a":[1,-1e400]}'])('%s has a number out of range, which does not become null', (text) => {
  expect(() => parseJson(text)).toThrow(/cannot unmarshal number -?1e400 into Go value of type float64/);
});

test.each([1.5, 9007199254740992, 1e300, -(2 ** 62)])('%d is unchanged', (value) => {
  expect(parseJson(JSON.stringify({ value })).value).toEqual({ value });
});
