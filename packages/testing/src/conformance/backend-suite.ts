import { randomInt, seededRandom } from '@coracle/base';
import type { Backend } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { bytesOf, textOf } from './store-access.js';

/** The contract of every implementation of `Backend`. Each call of `makeBackend` returns an empty one. */
export function describeBackend(name: string, makeBackend: () => Promise<Backend>): void {
  const filled = async (...keys: string[]) => {
    const backend = await makeBackend();
    await backend.write(keys.map((key) => ({ key: bytesOf(key), value: bytesOf(`value of ${key}`) })));
    return backend;
  };
  const keysIn = (backend: Backend, range: [string, string], options?: { limit?: number; reverse?: boolean }) =>
    [...backend.range(bytesOf(range[0]), bytesOf(range[1]), options)].map(([key]) => textOf(key));

  describe(`backend contract: ${name}`, () => {
    test('returns written values, and nothing for others', async () => {
      await using backend = await filled('a');
      expect(textOf(backend.get(bytesOf('a')) ?? bytesOf(''))).toBe('value of a');
      expect(backend.get(bytesOf('b'))).toBeUndefined();
    });

    test('a value may be empty, and a key may hold any bytes', async () => {
      await using backend = await makeBackend();
      const key = Uint8Array.of(0x72, 0, 0, 255, 0, 1);
      await backend.write([{ key, value: new Uint8Array(0) }]);
      expect(backend.get(key)?.length).toBe(0);
      expect([...backend.range(Uint8Array.of(0x72), Uint8Array.of(0x73))].map(([found]) => [...found])).toEqual([
        [...key],
      ]);
    });

    test('a range is in byte order, with its start and without its end', async () => {
      await using backend = await filled('b', 'a', 'ab', 'c', 'a\0', 'B', 'aé');
      expect(keysIn(backend, ['a', 'c'])).toEqual(['a', 'a\0', 'ab', 'aé', 'b']);
    });

    test.each([
      { options: { limit: 2 }, want: ['a', 'b'] },
      { options: { limit: 0 }, want: [] },
      { options: { reverse: true }, want: ['c', 'b', 'a'] },
      { options: { reverse: true, limit: 1 }, want: ['c'] },
    ])('a range with $options has $want', async ({ options, want }) => {
      await using backend = await filled('a', 'b', 'c', 'd');
      expect(keysIn(backend, ['a', 'd'], options)).toEqual(want);
    });

    test('a backward range begins before its end also where that key exists, and ends at its start', async () => {
      await using backend = await filled('a', 'b', 'c');
      expect(keysIn(backend, ['b', 'z'], { reverse: true })).toEqual(['c', 'b']);
      expect(keysIn(backend, ['x', 'z'], { reverse: true })).toEqual([]);
    });

    test('counts the keys of a range', async () => {
      await using backend = await filled(...Array.from({ length: 2000 }, (_, i) => `k${String(i).padStart(5, '0')}`));
      expect(backend.count(bytesOf('k'), bytesOf('l'))).toBe(2000);
      expect(backend.count(bytesOf('k00010'), bytesOf('k00020'))).toBe(10);
      expect(backend.count(bytesOf('x'), bytesOf('y'))).toBe(0);
    });

    test('writes of one call apply in order, and a write without a value removes', async () => {
      await using backend = await filled('a', 'b');
      await backend.write([
        { key: bytesOf('a') },
        { key: bytesOf('c'), value: bytesOf('1') },
        { key: bytesOf('c'), value: bytesOf('2') },
        { key: bytesOf('none') },
      ]);
      expect(keysIn(backend, ['a', 'z'])).toEqual(['b', 'c']);
      expect(textOf(backend.get(bytesOf('c')) ?? bytesOf(''))).toBe('2');
    });

    test('calls apply in order, awaited or not', async () => {
      await using backend = await makeBackend();
      const writes = Array.from({ length: 20 }, (_, i) =>
        backend.write([{ key: bytesOf('a'), value: bytesOf(String(i)) }]),
      );
      await Promise.all(writes);
      expect(textOf(backend.get(bytesOf('a')) ?? bytesOf(''))).toBe('19');
    });

    test('values of any size and kind are returned by a get and by a range', async () => {
      await using backend = await makeBackend();
      const random = seededRandom(1);
      const noise = (length: number) => Uint8Array.from({ length }, () => randomInt(random, 256));
      const values = [0, 1, 999, 1000, 1001, 4096, 70_000, 1_500_000].flatMap((length) => [
        new Uint8Array(length).fill(0x78),
        noise(length),
      ]);
      const key = (index: number) => bytesOf(`k${String(index).padStart(3, '0')}`);
      await backend.write(values.map((value, index) => ({ key: key(index), value })));
      const listed = [...backend.range(bytesOf('k'), bytesOf('l'))].map(([, value]) => value);
      for (const [index, value] of values.entries()) {
        expect(Buffer.compare(backend.get(key(index)) ?? noise(1), value)).toBe(0);
        expect(Buffer.compare(listed[index] ?? noise(1), value)).toBe(0);
      }
    });

    test('returned bytes do not change', async () => {
      await using backend = await filled('a', 'b');
      const value = backend.get(bytesOf('a'));
      const entries = [...backend.range(bytesOf('a'), bytesOf('z'))];
      await backend.write([{ key: bytesOf('a'), value: bytesOf('changed!!!') }]);
      backend.get(bytesOf('a'));
      backend.get(bytesOf('b'));
      expect(textOf(value ?? bytesOf(''))).toBe('value of a');
      expect(entries.map(([key, found]) => [textOf(key), textOf(found)])).toEqual([
        ['a', 'value of a'],
        ['b', 'value of b'],
      ]);
    });
  });
}
