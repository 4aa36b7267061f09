import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignSlots } from './slots.js';

test.each([
  [[], ['a', 'b'], ['a', 'b']],
  [
    ['a', 'b', 'c'],
    ['a', 'c'],
    ['a', 'c'],
  ],
  [
    ['a', 'b', 'c'],
    ['b', 'c'],
    ['c', 'b'],
  ],
  [
    ['a', 'b', 'c'],
    ['a', 'd', 'c'],
    ['a', 'd', 'c'],
  ],
  [
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ],
  [['a', 'b'], [], []],
])('%j to %j', (previous, desired, slots) => {
  expect(assignSlots(previous, desired)).toEqual(slots);
});

test('all that are wanted, once, without gaps; and one change moves two at the most', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-f]$/));
  fc.assert(
    fc.property(names, names, (previous, desired) => {
      expect(assignSlots(previous, desired).sort()).toEqual([...desired].sort());
      const without = previous.slice(1);
      const moved = assignSlots(previous, without);
      expect(moved.filter((one, i) => one !== previous[i]).length).toBeLessThanOrEqual(1);
    }),
  );
});
