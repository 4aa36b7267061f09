import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentMap } from './recent-map.js';

test('keeps the last keys, and drops those that were not read', () => {
  const map = new RecentMap<number, string>(10);
  for (let i = 0; i < 100; i++) {
    map.set(i, String(i));
    map.get(0);
  }
  expect([0, 1, 50, 91, 99].map((key) => map.get(key))).toEqual(['0', undefined, undefined, '91', '99']);
});

test('always returns the last value', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 8 }), value: fc.option(fc.integer(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const map = new RecentMap<number, number>(3);
      const all = new Map<number, number>();
      for (const { key, value } of steps) {
        if (value === undefined) expect([all.get(key), undefined]).toContain(map.get(key));
        else {
          map.set(key, value);
          all.set(key, value);
          expect(map.get(key)).toBe(value);
        }
      }
    }),
  );
});

test('drops deleted keys, and lists each key once', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect(map.entries()).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
  expect(map.entries()).toEqual([['b', 2]]);
});
