import { expect, test } from 'vitest';
import { fieldsOf } from './fields-of.js';

test('it is the object itself', () => {
  const object = { metadata: { name: 'a' } };
  expect(fieldsOf(object)).toBe(object);
  expect(fieldsOf(object)['metadata']).toBe(object.metadata);
});
