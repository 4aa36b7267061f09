import { expect, test } from 'vitest';
import { normalPath, splitTarget } from './request-head.js';

test.each([
  ['/a/b', '/a/b'],
  ['/a/../b', '/b'],
  ['/a/%2e%2E/b', '/b'],
  ['/a/%2f../b', '/a/b'],
  ['/public/..%2fadmin', '/admin'],
  ['/../../etc', '/etc'],
  ['/a/.', '/a/'],
  ['/a/..', '/'],
  ['/a/./b', '/a/b'],
  ['/.well-known/x', '/.well-known/x'],
  ['/a..b/c', '/a..b/c'],
])('the path %s is %s', (path, expected) => expect(normalPath(path)).toBe(expected));

test.each([
  ['/a?b=c', { path: '/a', query: 'b=c' }],
  ['http://other.com/a?b', { path: '/a', query: 'b' }],
  ['http://other.com', { path: '/', query: '' }],
  ['?x', { path: '/', query: 'x' }],
  ['*', undefined],
  ['no-slash', undefined],
])('the request target %s', (target, expected) => expect(splitTarget(target)).toEqual(expected));
