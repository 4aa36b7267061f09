import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fifo } from './fifo.js';

describe('Fifo', () => {
  test('behaves like an array under any sequence of calls', () => {
    const calls = fc.array(fc.oneof(fc.record({ push: fc.integer() }), fc.constant('shift'), fc.constant('clear')), {
      size: 'large',
    });
    fc.assert(
      fc.property(calls, (sequence) => {
        const fifo = new Fifo<number>();
        let model: number[] = [];
        for (const call of sequence) {
          if (call === 'clear') {
            fifo.clear();
            model = [];
          } else if (call === 'shift') expect(fifo.shift()).toBe(model.shift());
          else {
            const { push } = call as { push: number };
            fifo.push(push);
            model.push(push);
          }
          expect([fifo.size, fifo.peek()]).toEqual([model.length, model[0]]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('keeps the order through 100,000 additions and removals', () => {
    const fifo = new Fifo<number>();
    let next = 0;
    for (let i = 0; i < 100_000; i++) {
      fifo.push(i);
      if (i % 3 === 0) expect(fifo.shift() === next++).toBe(true);
    }
    while (fifo.size > 0) if (fifo.shift() !== next++) throw new Error('out of order');
    expect(next).toBe(100_000);
  });
});
