import { expect, test } from 'vitest';
import { TextMemory } from './text-memory.js';

test('a text is computed once, and again after others have replaced it', () => {
  const made: number[] = [];
  const value = (n: number) => ({ toJSON: () => made.push(n) && { n } });
  const [one, two, three] = [value(1), value(2), value(3)] as const;
  const texts = new TextMemory(1);
  expect([one, one, two, three, two, one].map((each) => texts.textOf(each))).toEqual(
    [1, 1, 2, 3, 2, 1].map((n) => `{"n":${n}}`),
  );
  expect(made).toEqual([1, 2, 3, 2, 1]);
});

test('a long text is not kept', () => {
  let made = 0;
  const value = { toJSON: () => 'x'.repeat(10_000 + made++) };
  const texts = new TextMemory(2);
  expect([texts.textOf(value).length, texts.textOf(value).length]).toEqual([10_002, 10_003]);
});
