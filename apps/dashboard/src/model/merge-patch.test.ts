import { expect, test } from 'vitest';
import { mergePatchOf } from './merge-patch.js';

test.each([
  [{ a: 1, b: [1] }, { a: 1, b: [1] }, undefined],
  [{ a: 1, b: { c: 1, d: 2 } }, { b: { c: 2, d: 2 } }, { a: null, b: { c: 2 } }],
  [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
  [{ id: 9223372036854775807n }, { id: 9223372036854775806n }, { id: 9223372036854775806n }],
  [{ ids: [9223372036854775807n] }, { ids: [9223372036854775807n] }, undefined],
])('from %o to %o', (before, after, patch) => {
  expect(mergePatchOf(before, after)).toEqual(patch);
});
