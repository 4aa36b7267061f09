import { expect, test } from 'vitest';
import { problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };

test('a token lives for an hour by default', () => {
  expect(withDefaults(request).spec.expirationSeconds).toBe(3600);
});

test.each([
  [599, ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes']],
  [600, []],
  [
    2 ** 32 + 1,
    ['spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'],
  ],
])('%d seconds are long enough or not', (expirationSeconds, want) => {
  expect(problemsOnCreate(request, { spec: { expirationSeconds } })).toEqual(want);
});
