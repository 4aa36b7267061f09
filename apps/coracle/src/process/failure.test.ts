import { expect, test } from 'vitest';
import { describeFailure } from './failure.js';

const failing = (message: string, facts: object) => Object.assign(new Error(message), facts);

test.each([
  ['a port that is taken', failing('listen', { code: 'EADDRINUSE', port: 6443, address: '127.0.0.1' }), 'port 6443'],
  ['a low port', failing('listen', { code: 'EACCES', port: 80, address: '127.0.0.1' }), 'port above 1023'],
  ['an address of another machine', failing('x', { code: 'EADDRNOTAVAIL', address: '192.0.2.1' }), '192.0.2.1'],
  ['a directory that cannot be used', failing('cannot use it', { code: 'UnusableDirectory' }), '--data-dir DIR'],
  ['a file that is not there', failing('ENOENT: x', { code: 'ENOENT', path: '/nope' }), '/nope'],
  ['a file that may not be written', failing('EACCES: x', { code: 'EACCES' }), '--data-dir DIR'],
  ['an etcd that does not answer', failing('etcd at x does not answer', { code: 'Unavailable' }), '--etcd-servers'],
])('START-10 START-21 %s is reported in one line, with a hint', (_name, error, part) => {
  const text = describeFailure(error);
  expect(text.split('\n')).toEqual([expect.stringMatching(/^coracle: /), expect.stringMatching(/^hint: /)]);
  expect(text).toContain(part);
});

test('any other error is reported unchanged', () => {
  expect(describeFailure(new Error('disk on fire'))).toBe('coracle: disk on fire');
});
