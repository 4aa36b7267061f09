import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeText,
  readNumber,
  readUint32,
  ShortNumbers,
  shortLength,
  writeNumber,
  writeUint32,
} from './small-bytes.js';

const whole = fc.maxSafeNat();

describe('short byte arrays', () => {
  test('hold text as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(encodeText(text)).toEqual(new TextEncoder().encode(text));
      }),
    );
  });

  test('hold numbers at any place', () => {
    fc.assert(
      fc.property(whole, fc.integer({ min: 0, max: 0xffff_ffff }), fc.nat(5), (number, short, at) => {
        const bytes = new Uint8Array(at + 12);
        writeNumber(bytes, at, number);
        writeUint32(bytes, at + 8, short);
        expect(readNumber(bytes, at)).toBe(number);
        expect(readUint32(bytes, at + 8)).toBe(short);
      }),
    );
  });

  test('sort as their numbers do', () => {
    const bytesOf = (number: number) => {
      const bytes = new Uint8Array(8);
      writeNumber(bytes, 0, number);
      return [...bytes].map((byte) => String.fromCharCode(byte)).join('');
    };
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(bytesOf(a) < bytesOf(b)).toBe(a < b);
      }),
    );
  });
});

test('short numbers round-trip in the declared number of bytes', () => {
  const values = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER];
  const bytes = new Uint8Array(shortLength(...values));
  const writer = new ShortNumbers(bytes, 0);
  for (const value of values) writer.write(value);
  expect(writer.at).toBe(bytes.length);
  const reader = new ShortNumbers(bytes, 0);
  expect(values.map(() => reader.read())).toEqual(values);
  expect([0, 127, 128, Number.MAX_SAFE_INTEGER].map((value) => shortLength(value))).toEqual([1, 1, 2, 8]);
});
