import type { resourcev1 } from '@coracle/api';
import { expect, test } from 'vitest';
import { hasAlternatives, preferenceScore } from './claim-preference.js';

const alternatives = ['big', 'middle', 'small'].map((name) => ({ name, deviceClassName: 'gpu' }));
const exact = { name: 'x', exactly: { deviceClassName: 'gpu' } };

function claim(name: string, ...requests: resourcev1.DeviceRequest[]): resourcev1.ResourceClaim {
  return { metadata: { name, namespace: 'default' }, spec: { devices: { requests } } };
}

function allocationOf(...requests: string[]): resourcev1.AllocationResult {
  const device = { driver: 'd', pool: 'p', device: 'a' };
  return { devices: { results: requests.map((request) => ({ request, ...device })) } };
}

test('only claims with alternatives can be filled in better and in worse ways', () => {
  expect(hasAlternatives(claim('a', exact))).toBe(false);
  expect(hasAlternatives(claim('a', exact, { name: 'r', firstAvailable: alternatives }))).toBe(true);
});

test.each([
  ['the first alternative counts eight', allocationOf('r/big'), 8],
  ['later ones count less', allocationOf('r/small'), 6],
  ['several devices of one count once', allocationOf('r/middle', 'r/middle'), 7],
  ['requests without alternatives count nothing', allocationOf('x'), 0],
])('%s', (_, allocation, score) => {
  const one = claim('a', exact, { name: 'r', firstAvailable: alternatives });
  expect(preferenceScore([one], new Map([['default/a', allocation]]))).toBe(score);
});

test('the requests of all claims add up', () => {
  const claims = ['a', 'b'].map((name) => claim(name, { name: 'r', firstAvailable: alternatives }));
  const allocations = new Map([
    ['default/a', allocationOf('r/big')],
    ['default/b', allocationOf('r/middle')],
  ]);
  expect(preferenceScore(claims, allocations)).toBe(15);
});
