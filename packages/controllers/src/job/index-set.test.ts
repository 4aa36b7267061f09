import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IndexSet } from './index-set.js';

describe('IndexSet', () => {
  test.each([
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[5, 1, 2, 3], '1-3,5'],
  ])('writes %j as %j', (indexes, text) => {
    expect(String(IndexSet.empty.with(indexes))).toBe(text);
  });

  test('leaves out indexes that are no longer requested', () => {
    expect(String(IndexSet.parse('0-9', 3))).toBe('0-2');
  });

  test('round-trips', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), (indexes) => {
        const set = IndexSet.empty.with(indexes);
        const again = IndexSet.parse(String(set), 51);
        expect(again.size).toBe(new Set(indexes).size);
        expect(indexes.every((index) => again.has(index))).toBe(true);
      }),
    );
  });
});
