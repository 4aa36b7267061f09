import { FieldPath, formatFieldError } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { checkDomainPrefixedPath } from './domain-prefixed-path.js';

test.each([
  ['example.com/controller', []],
  ['example.com/a/b', []],
  ['', ['p: Required value']],
  ['controller', ['p: Invalid value: "controller": must be a domain-prefixed path (such as "acme.io/foo")']],
  ['/x', ['p: Invalid value: "/x": must be a domain-prefixed path (such as "acme.io/foo")']],
])('"%s" is a domain and a path, or not', (value, want) => {
  expect(checkDomainPrefixedPath(FieldPath.of('p'), value).map(formatFieldError)).toEqual(want);
});

test('the part at fault is shown', () => {
  const [error] = checkDomainPrefixedPath(FieldPath.of('p'), 'Example/x');
  expect(error?.body).toContain('Invalid value: "Example"');
});
