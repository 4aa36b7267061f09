import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Heap } from './heap.js';

describe('Heap', () => {
  test('returns its items sorted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (items) => {
        const heap = new Heap<number>((a, b) => a - b);
        for (const item of items) heap.push(item);
        expect(heap.size).toBe(items.length);
        expect(Array.from(items, () => heap.pop())).toEqual([...items].sort((a, b) => a - b));
        expect([heap.size, heap.peek(), heap.pop()]).toEqual([0, undefined, undefined]);
      }),
    );
  });

  test('always has the smallest item at the top', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (calls) => {
        const heap = new Heap<number>((a, b) => a - b);
        let model: number[] = [];
        for (const call of calls) {
          if (call === undefined) {
            expect(heap.pop()).toBe(model[0]);
            model = model.slice(1);
          } else {
            heap.push(call);
            model = [...model, call].sort((a, b) => a - b);
          }
          expect(heap.peek()).toBe(model[0]);
        }
      }),
    );
  });

  test('takes 100,000 items and stays sorted', () => {
    const heap = new Heap<number>((a, b) => a - b);
    for (let i = 0; i < 100_000; i++) heap.push((i * 7_919) % 100_003);
    let previous = -1;
    for (let item = heap.pop(); item !== undefined; item = heap.pop()) {
      if (item < previous) throw new Error('out of order');
      previous = item;
    }
    expect(previous).toBe(100_002);
  });
});
