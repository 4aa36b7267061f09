import { expect, test } from 'vitest';
import { nextTurn } from './next-turn.js';

test('resolves after every promise that settles by itself', async () => {
  const steps: number[] = [];
  const chain = async () => {
    for (let i = 0; i < 100; i++) await Promise.resolve();
    steps.push(1);
  };
  void chain();
  await nextTurn();
  steps.push(2);
  expect(steps).toEqual([1, 2]);
});

test('serves many concurrent callers', async () => {
  const resolved = await Promise.all(Array.from({ length: 1_000 }, (_, i) => nextTurn().then(() => i)));
  expect(resolved).toHaveLength(1_000);
});

test('can be awaited again by code that it resumed', async () => {
  let turns = 0;
  const loop = async () => {
    while (turns < 10) {
      await nextTurn();
      turns++;
    }
  };
  await Promise.all([loop(), loop()]);
  expect(turns).toBeGreaterThanOrEqual(10);
});
