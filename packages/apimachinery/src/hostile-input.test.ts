import { describe, expect, test } from 'vitest';
import { parseJson } from './decode-json.js';
import { decodeOwnedObject } from './decode-object.js';
import type { ObjectSchema, Schema } from './schema.js';
import { reasonOf } from './status-error.js';
import { parseYaml } from './yaml/yaml.js';

const fields: Record<string, Schema> = {
  kind: { type: 'string' },
  data: { type: 'map', values: { type: 'string' } },
  free: { type: 'any' },
  items: { type: 'list', items: { type: 'any' } },
};
const schema: ObjectSchema = {
  type: 'object',
  name: 'Thing',
  fields: new Map(
    Object.entries(fields).map(([name, one]) => [name, { name, schema: one, required: false, presence: 'given' }]),
  ),
};

const nested = (open: string, close: string, count: number) => open.repeat(count) + close.repeat(count);
const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)));

/** Decodes the bytes of a request into an object, like the server. */
function decode(input: Uint8Array | string): unknown {
  return decodeOwnedObject(parseJson(input).value, schema).object;
}

describe('hostile input is rejected as a bad request', () => {
  const cases = [
    { name: '100,000 nested arrays', input: nested('[', ']', 100_000) },
    { name: '100,000 nested arrays in a field', input: `{"free":${nested('[', ']', 100_000)}}` },
    { name: '100,000 nested objects', input: `${'{"free":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
    { name: '3 million opening brackets', input: '['.repeat(3_000_000) },
    { name: 'invalid UTF-8 in a value', input: bytes('{"kind":"', [0xff, 0xfe], '"}') },
    { name: 'a cut UTF-8 sequence', input: bytes('{"kind":"', [0xe2, 0x82], '"}') },
    { name: 'an overlong UTF-8 sequence', input: bytes('{"kind":"', [0xc0, 0xaf], '"}') },
    { name: 'half a surrogate pair in UTF-8', input: bytes('{"kind":"', [0xed, 0xa0, 0x80], '"}') },
    { name: 'half a surrogate pair as an escape', input: '{"kind":"\\udead"}' },
    { name: 'half a surrogate pair in a key', input: '{"data":{"\\ud800":"x"}}' },
    { name: 'a raw control character', input: '{"kind":"a\u0000b"}' },
    { name: 'a wrong type', input: '{"kind":{"toString":"x"}}' },
    { name: 'NaN', input: '{"free":NaN}' },
  ];

  test.each(cases)('$name', ({ input }) => {
    let reason: string | undefined;
    try {
      decode(input);
    } catch (error) {
      reason = reasonOf(error);
    }
    expect(reason).toBe('BadRequest');
  });
});

describe('unusual input is accepted unchanged', () => {
  test('a string of 3 MB', () => {
    const text = 'x'.repeat(3_000_000);
    expect(decode(bytes(`{"kind":"${text}"}`))).toEqual({ kind: text });
  });

  test('a string of 3 MB of escapes', () => {
    expect((decode(`{"kind":"${'\\n'.repeat(1_500_000)}"}`) as { kind: string }).kind).toHaveLength(1_500_000);
  });

  test('a million items and a hundred thousand keys', () => {
    const keys = Array.from({ length: 100_000 }, (_, i) => `"k${i}":"v"`).join();
    const { data, items } = decode(`{"data":{${keys}},"items":[${'0,'.repeat(999_999)}0]}`) as {
      data: object;
      items: unknown[];
    };
    expect([Object.keys(data).length, items.length]).toEqual([100_000, 1_000_000]);
  });

  test('nesting up to the limit, which JSON.stringify can write again', () => {
    const text = `{"free":${nested('[', ']', 999)}}`;
    expect(JSON.stringify(decode(text))).toBe(text);
  });

  test('characters beyond the basic plane', () => {
    expect(decode(bytes('{"kind":"😀\\ud83d\\ude00"}'))).toEqual({ kind: '😀😀' });
  });
});

describe('field errors are bounded', () => {
  test('by a hundred duplicate fields', () => {
    const text = `{${Array.from({ length: 1_000 }, (_, i) => `"a${i}":1,"a${i}":2`).join()}}`;
    expect(parseJson(text).duplicateFields).toHaveLength(100);
  });

  test('by a hundred unknown fields', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x${i}`, 1]));
    const decoded = decodeOwnedObject({ ...unknown, kind: 'a' }, schema);
    expect([decoded.unknownFields.length, decoded.object]).toEqual([100, { kind: 'a' }]);
  });
});

describe('no input changes a prototype', () => {
  const cases = [
    '{"__proto__":{"polluted":1}}',
    '{"data":{"__proto__":"x"}}',
    '{"free":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    '{"items":[{"__proto__":{"polluted":1}}]}',
  ];

  test.each(cases)('%s', (text) => {
    const object = decode(text) as Record<string, Record<string, unknown>>;
    for (const value of [object, object['data'] ?? {}, object['free'] ?? {}]) {
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(value['polluted']).toBeUndefined();
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((parseYaml(text) as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
