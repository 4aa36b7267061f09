import { expect, test } from 'vitest';
import { namesTag, notModified } from './entity-tag.js';

test.each([
  [undefined, false],
  ['', false],
  ['"A"', true],
  ['W/"A"', true],
  ['"B", W/"A"', true],
  [' , "B" ,"A"', true],
  ['*', true],
  ['"B"', false],
  ['A', false],
  ['"AB"', false],
  ['A, "A"', false],
  ['"B" nonsense "A"', false],
])('If-None-Match: %s', (header, isNamed) => {
  expect(namesTag(header, '"A"')).toBe(isNamed);
  // A global regular expression is stateful.
  expect(namesTag(header, '"A"')).toBe(isNamed);
});

test('a response without a body has no Content-Type', () => {
  expect(notModified({ 'content-type': 'application/json', etag: '"A"' })).toEqual({
    status: 304,
    headers: { etag: '"A"' },
    body: { kind: 'empty' },
  });
});
