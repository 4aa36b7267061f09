import { concatBytes, randomInt, seededRandom } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { Lz4Compressor } from './lz4-compressor.js';
import { lz4Decompress } from './lz4-decompress.js';
import { ValueCompression } from './value-compression.js';

const none = new Uint8Array(0);
const text = (value: string) => new TextEncoder().encode(value);
const hex = (value: string) => Uint8Array.from(value.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Bytes that repeat themselves at all distances, with stretches that do not. */
function randomBytes(seed: number, length: number): Uint8Array {
  const random = seededRandom(seed);
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const run = Math.min(length - at, 1 + randomInt(random, 400));
    const kind = randomInt(random, 3);
    if (kind === 0 && at > 0) {
      const from = randomInt(random, at);
      for (let i = 0; i < run; i++) bytes[at + i] = bytes[from + i] as number;
    } else if (kind === 1) bytes.fill(randomInt(random, 256), at, at + run);
    else for (let i = 0; i < run; i++) bytes[at + i] = randomInt(random, 256);
    at += run;
  }
  return bytes;
}

/** Where two differ first; comparing them element by element with `toEqual` takes long. */
function difference(a: Uint8Array, b: Uint8Array): number | undefined {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? undefined : at;
}

describe('LZ4 blocks', () => {
  // Written by the command lz4 v1.9.
  const vectors = [
    { plain: text('abc'.repeat(14).concat('0123456789')), block: '3f616263030014a030313233343536373839' },
    { plain: new Uint8Array(300), block: '1f000100ff14500000000000' },
    { plain: text('0123456789abcdef'), block: 'f00130313233343536373839616263646566' },
    { plain: none, block: '00' },
  ];
  test.each(vectors)('that the reference wrote are read: $block', ({ plain, block }) => {
    expect(lz4Decompress(hex(block), { length: plain.length, dictionary: none })).toEqual(plain);
  });

  test.each(Array.from({ length: 60 }, (_, seed) => seed))('come back as they were (seed %i)', (seed) => {
    const random = seededRandom(seed);
    const dictionary = randomBytes(seed + 1000, randomInt(random, 100_000));
    const compressor = new Lz4Compressor(dictionary);
    for (const size of [0, 1, 4, 5, 12, 13, 20, 300, randomInt(random, 4_000), randomInt(random, 200_000)]) {
      const own = randomBytes(seed * 31 + size, size);
      // Every other value holds a piece of the dictionary.
      const input = size % 2 === 0 ? own : concatBytes([own, dictionary.subarray(-500)]);
      const block = compressor.compress(input);
      const output = lz4Decompress(block, { length: input.length, dictionary });
      expect(difference(output, input)).toBeUndefined();
    }
  });

  test('take less room where the dictionary holds the same', () => {
    const dictionary = text('{"kind":"Pod","apiVersion":"v1","metadata":{"name":""}}'.repeat(3));
    const value = text('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}');
    expect(new Lz4Compressor(dictionary).compress(value).length).toBeLessThan(value.length / 2);
    expect(new Lz4Compressor().compress(value).length).toBeGreaterThan(value.length / 2);
  });

  test('that are damaged are rejected, and nothing outside of the buffers is read', () => {
    const input = randomBytes(7, 3_000);
    const block = new Lz4Compressor().compress(input);
    const random = seededRandom(8);
    for (let i = 0; i < 3_000; i++) {
      const broken = block.slice(0, 1 + randomInt(random, block.length));
      broken[randomInt(random, broken.length)] = randomInt(random, 256);
      try {
        expect(lz4Decompress(broken, { length: input.length, dictionary: none }).length).toBe(input.length);
      } catch (error) {
        expect(String(error)).toContain('a compressed value is corrupt');
      }
    }
  });
});

describe('values in a database', () => {
  const values = new ValueCompression({ from: 300, dictionary: randomBytes(1, 14_117) });

  const cases = {
    empty: none,
    short: text('short'),
    'as long as compressed ones': randomBytes(2, 300),
    long: randomBytes(3, 70_000),
    'longer than three bytes of length': new Uint8Array(2 ** 24).fill(7),
    'one that looks compressed': Uint8Array.of(254, 0, 0, 1),
    'one that begins with a reserved byte': Uint8Array.of(250),
  };
  test.each(Object.entries(cases))('%s', (_, value) => {
    expect(difference(values.decode(values.encode(value)), value)).toBeUndefined();
  });

  test('short ones stay as they are', () => {
    expect(values.encode(text('short'))).toEqual(text('short'));
  });

  test.each([Uint8Array.of(251, 1, 2), Uint8Array.of(254, 0), Uint8Array.of(254, 0, 0, 9, 0x10)])(
    'corrupt ones are rejected: %s',
    (stored) => {
      expect(() => values.decode(stored)).toThrow(/unknown prefix|corrupt/);
    },
  );
});
