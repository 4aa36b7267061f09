import { nextTurn } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { slowStart } from './slow-start.js';

describe('RS-27 slow start', () => {
  const cases = [
    { name: 'nothing is done for none', count: 0, failing: [], batches: [], outcome: { done: 0 } },
    { name: 'batches double', count: 10, failing: [], batches: [1, 2, 4, 3], outcome: { done: 10 } },
    {
      name: 'a failure at once ends it',
      count: 10,
      failing: [0],
      batches: [1],
      outcome: { done: 0, error: 'failed 0' },
    },
    {
      name: 'the rest of a batch with a failure is still done',
      count: 100,
      failing: [4, 5],
      batches: [1, 2, 4],
      outcome: { done: 5, error: 'failed 4' },
    },
  ];

  test.each(cases)('$name', async ({ count, failing, batches, outcome }) => {
    const sizes: number[] = [];
    let running = 0;
    const result = await slowStart(count, async (index) => {
      running++;
      await nextTurn();
      if (running > 0) sizes.push(running);
      running = 0;
      if ((failing as number[]).includes(index)) throw `failed ${index}`;
    });

    expect({ result, sizes }).toEqual({ result: outcome, sizes: batches });
  });
});
