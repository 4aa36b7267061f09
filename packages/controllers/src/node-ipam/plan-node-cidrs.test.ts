import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clusterRangeProblems, freeCidrs } from './plan-node-cidrs.js';

const four = { cidr: '10.244.0.0/16', maskSize: 24 };
const six = { cidr: 'fd00:244::/56', maskSize: 64 };

test.each([
  ['the first', [four], [], ['10.244.0.0/24']],
  ['the next that is free', [four], ['10.244.0.0/24', '10.244.2.0/24'], ['10.244.1.0/24']],
  ['one of each family', [four, six], ['10.244.0.0/24', 'fd00:244::/64'], ['10.244.1.0/24', 'fd00:244:0:1::/64']],
  ['beside larger parts', [four], ['10.244.0.0/22'], ['10.244.4.0/24']],
  ['beside smaller parts', [four], ['10.244.0.128/25'], ['10.244.1.0/24']],
  [
    'nothing, if one family is used up',
    [{ cidr: '10.0.0.0/31', maskSize: 32 }, six],
    ['10.0.0.0/32', '10.0.0.1/32'],
    undefined,
  ],
])('%s', (_, ranges, taken, expected) => {
  expect(freeCidrs(ranges, taken)?.cidrs).toEqual(expected);
});

test('a part that was given up is used again last', () => {
  const range = { cidr: '10.0.0.0/30', maskSize: 32 };
  const second = freeCidrs([range], [], [1]);
  expect(second).toEqual({ cidrs: ['10.0.0.1/32'], next: [2] });
  expect(freeCidrs([range], [], second?.next)?.cidrs).toEqual(['10.0.0.2/32']);
  expect(freeCidrs([range], [], [4])?.cidrs).toEqual(['10.0.0.0/32']);
});

test('as many parts as there are, all different', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), (bits) => {
      const range = { cidr: '10.32.0.0/20', maskSize: 20 + bits };
      const taken: string[] = [];
      for (let free = freeCidrs([range], taken); free; free = freeCidrs([range], taken, free.next))
        taken.push(...free.cidrs);
      expect(new Set(taken).size).toBe(2 ** bits);
    }),
  );
});

test.each([
  [[{ cidr: 'x', maskSize: 24 }], /is no network/],
  [[{ cidr: '10.0.0.0/24', maskSize: 16 }], /no part of/],
  [[{ cidr: 'fd00::/32', maskSize: 64 }], /more than 65536 parts/],
  [[four, four], /one range of each family/],
])('refuses %j', (ranges, message) => {
  expect(clusterRangeProblems(ranges).join()).toMatch(message);
});
