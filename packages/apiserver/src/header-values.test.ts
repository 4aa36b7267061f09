import { expect, test } from 'vitest';
import { headerValues } from './header-values.js';

test.each([
  {
    name: 'a comma in a value that was sent as one parts nothing',
    request: {
      headers: { 'x-remote-group': 'CN=a,system:masters' },
      rawHeaders: ['Host', 'x', 'X-Remote-Group', 'CN=a,system:masters'],
    },
    values: ['CN=a,system:masters'],
  },
  {
    name: 'headers of one name are values of their own',
    request: { headers: { 'x-remote-group': 'a, b' }, rawHeaders: ['x-remote-group', 'a', 'X-Remote-Group', 'b'] },
    values: ['a', 'b'],
  },
  {
    name: 'a value that is called like the header is none',
    request: { headers: { 'x-remote-group': 'a' }, rawHeaders: ['y', 'x-remote-group', 'x-remote-group', 'a'] },
    values: ['a'],
  },
  {
    name: 'without the text, commas part them',
    request: { headers: { 'x-remote-group': 'a, b' } },
    values: ['a', 'b'],
  },
  {
    name: 'a header that was taken off has none',
    request: { headers: {}, rawHeaders: ['x-remote-group', 'a'] },
    values: [],
  },
])('$name', ({ request, values }) => {
  expect(headerValues(request, 'x-remote-group')).toEqual(values);
});
