import { describe, expect, test } from 'vitest';
import { Backoff } from './backoff.js';

const random = { next: () => 0.5 };

describe('Backoff', () => {
  const cases = [
    { name: 'doubles up to the bound', options: { initialMs: 100, maxMs: 500 }, expected: [100, 200, 400, 500, 500] },
    {
      name: 'grows by its factor',
      options: { initialMs: 10, maxMs: 1_000, factor: 10 },
      expected: [10, 100, 1_000, 1_000],
    },
    { name: 'adds a share at random', options: { initialMs: 100, maxMs: 200, jitter: 0.2 }, expected: [110, 220, 220] },
    { name: 'starts at the bound when that is less', options: { initialMs: 100, maxMs: 50 }, expected: [50, 50] },
  ];

  test.each(cases)('$name', ({ options, expected }) => {
    const backoff = new Backoff(options, random);
    for (const delay of expected) expect(backoff.next()).toBeCloseTo(delay);
  });

  test('starts over after reset', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 500 }, random);
    backoff.next();
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });
});
