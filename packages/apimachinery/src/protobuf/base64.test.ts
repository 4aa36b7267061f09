import { describe, expect, test } from 'vitest';
import { fromBase64, toBase64 } from './base64.js';

describe('base64', () => {
  const bytes = (...values: number[]) => new Uint8Array(values);

  test.each([
    { name: 'is read', text: 'YWI=', value: bytes(97, 98) },
    { name: 'needs no padding', text: 'YWI', value: bytes(97, 98) },
    { name: 'may be broken into lines', text: 'YW\r\nI=\n', value: bytes(97, 98) },
    { name: 'may be empty', text: '', value: bytes() },
    { name: 'has an alphabet of its own', text: 'YW!=', value: undefined },
    { name: 'ends with its padding', text: 'YWI=YWI=', value: undefined },
  ])('$name: $text', ({ text, value }) => {
    expect(fromBase64(text)).toEqual(value);
  });

  test('round-trips', () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    for (const end of [256, 255, 254]) expect(fromBase64(toBase64(all.subarray(0, end)))).toEqual(all.subarray(0, end));
  });
});
