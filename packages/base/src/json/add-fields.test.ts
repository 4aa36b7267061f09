import { expect, test } from 'vitest';
import { addFields } from './add-fields.js';

test('a copy has the fields of both; added ones are last and override', () => {
  const object = { a: 1, b: 2 };
  const copy = addFields(object, { c: 3, a: 4 });
  expect(copy).toEqual({ a: 4, b: 2, c: 3 });
  expect(Object.keys(copy)).toEqual(['a', 'b', 'c']);
  expect(object).toEqual({ a: 1, b: 2 });
});
