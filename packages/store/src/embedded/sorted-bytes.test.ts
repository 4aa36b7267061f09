import { randomInt, seededRandom } from '@coracle/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedBytes } from './sorted-bytes.js';

/** So many that leaves are split and emptied many times. */
const changes = 4000;
const keys = 3000;
const nameOf = (key: number) => `k${String(key).padStart(5, '0')}`;

/** The same random puts and removals on both. */
function fill(seed: number): { readonly sorted: SortedBytes; readonly plain: Set<string> } {
  const random = seededRandom(seed);
  const sorted = new SortedBytes();
  const plain = new Set<string>();
  for (let change = 0; change < changes; change++) {
    const name = nameOf(randomInt(random, keys));
    if (random.next() < 0.6) {
      sorted.set(name, new Uint8Array(1));
      plain.add(name);
    } else {
      sorted.delete(name);
      plain.delete(name);
    }
  }
  return { sorted, plain };
}

test('has the same entries as a plain set, in order, from any start to any end', () => {
  const key = fc.nat({ max: keys });
  fc.assert(
    fc.property(fc.nat(), key, key, (seed, from, to) => {
      const { sorted, plain } = fill(seed);
      const want = [...plain].filter((name) => name >= nameOf(from) && name < nameOf(to)).sort();
      expect([...sorted.range(nameOf(from), nameOf(to))].map(([name]) => name)).toEqual(want);
      expect(sorted.count(nameOf(from), nameOf(to))).toBe(want.length);
      expect([...sorted.reverseRange(nameOf(from), nameOf(to))].map(([name]) => name)).toEqual(want.reverse());
      expect(sorted.get(nameOf(from)) !== undefined).toBe(plain.has(nameOf(from)));
    }),
    { numRuns: 50 },
  );
});
