import { expect, test } from 'vitest';
import { isRecord } from './json.js';

test('only objects are records', () => {
  expect([{}, { a: 1 }, [], null, undefined, 'a', 1, true].map(isRecord)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});
