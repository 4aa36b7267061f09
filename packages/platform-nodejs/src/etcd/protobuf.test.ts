import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage, type MessageTable } from './protobuf.js';

const inner = { text: { number: 1, type: 'text' } } as const satisfies MessageTable;
const table = {
  int: { number: 1, type: 'int' },
  bool: { number: 2, type: 'bool' },
  bytes: { number: 3, type: 'bytes' },
  message: { number: 4, type: inner },
  many: { number: 16, type: inner, repeated: true },
} as const satisfies MessageTable;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

describe('protocol buffers', () => {
  test.each([
    { message: {}, wire: '' },
    { message: { int: 0 }, wire: '0800' },
    { message: { int: 150 }, wire: '089601' },
    { message: { int: 2 ** 40 }, wire: '08808080808020' },
    { message: { bool: true }, wire: '1001' },
    { message: { message: { text: 'é' } }, wire: '22040a02c3a9' },
    { message: { message: {} }, wire: '2200' },
    { message: { many: [{ text: 'a' }, {}] }, wire: '8201030a0161820100' },
  ])('$message is $wire on the wire, and back', ({ message, wire }) => {
    expect(hex(encodeMessage(table, message))).toBe(wire);
    expect(decodeMessage(table, fromHex(wire))).toEqual(message);
  });

  test('a negative number is ten bytes', () => {
    expect(decodeMessage(table, fromHex('08ffffffffffffffffff01'))).toEqual({ int: -1 });
  });

  test('unknown fields are skipped', () => {
    const wire = ['4801', '510300000000000000', '5d01020304', '6203616263', '0807'].join('');
    expect(decodeMessage(table, fromHex(wire))).toEqual({ int: 7 });
  });

  test.each(['08', '0896', '1a05aa', '0b'])('%s is truncated or damaged and rejected', (wire) => {
    expect(() => decodeMessage(table, fromHex(wire))).toThrow(RangeError);
  });

  test('encoding and decoding are inverse', () => {
    const message = fc.record(
      {
        int: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        bool: fc.boolean(),
        bytes: fc.uint8Array(),
        message: fc.record({ text: fc.string({ unit: 'grapheme' }) }),
        many: fc.array(fc.record({ text: fc.string() }), { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(message, (value) => {
        expect(decodeMessage(table, Uint8Array.from(encodeMessage(table, value)))).toEqual(value);
      }),
    );
  });
});
