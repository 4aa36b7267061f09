import { describe, expect, test } from 'vitest';
import { randomInt, randomSuffix, randomUuid, seededRandom } from './random.js';

describe('seededRandom', () => {
  test('returns the same numbers for the same seed, and others for another', () => {
    const take = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 5 }, () => random.next());
    };
    expect(take(1)).toEqual(take(1));
    expect(take(1)).not.toEqual(take(2));
  });

  test('spreads evenly over [0, 1)', () => {
    const random = seededRandom(42);
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const bucket = Math.floor(random.next() * 10);
      buckets[bucket] = (buckets[bucket] ?? Number.NaN) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

test('randomInt stays below its bound', () => {
  const random = seededRandom(3);
  const seen = new Set(Array.from({ length: 200 }, () => randomInt(random, 3)));
  expect([...seen].sort()).toEqual([0, 1, 2]);
});

test('randomUuid is a version 4 UUID, different each time', () => {
  const random = seededRandom(7);
  const uuids = Array.from({ length: 1_000 }, () => randomUuid(random));
  expect(new Set(uuids).size).toBe(1_000);
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('randomSuffix uses only the letters of generated names', () => {
  expect(randomSuffix(seededRandom(5), 500)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{500}$/);
});
