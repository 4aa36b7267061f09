import { expect, test } from 'vitest';
import { placeOf } from './extract.js';

test.each([
  { name: 'data', place: '/home/out' },
  { name: 'data/a/b.txt', place: '/home/out/a/b.txt' },
  { name: 'data/./a', place: '/home/out/a' },
  { name: 'data/a/../b', place: '/home/out/b' },
  { name: 'data/..a', place: '/home/out/..a' },
  { name: '../evil', place: undefined },
  { name: '..', place: undefined },
  { name: 'data/../../evil', place: undefined },
  { name: 'data/a/../../../evil', place: undefined },
  { name: 'other', place: undefined },
  { name: '/etc/passwd', place: undefined },
  { name: '/home/out/../evil', place: undefined },
])('an entry $name of an archive of data goes to $place', ({ name, place }) => {
  expect(placeOf(name, 'data', '/home/out')).toBe(place);
});
