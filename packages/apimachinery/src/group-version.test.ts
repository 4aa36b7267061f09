import { expect, test } from 'vitest';
import { apiVersionOf, parseApiVersion, qualifiedResource } from './group-version.js';

test.each([
  ['v1', { group: '', version: 'v1' }],
  ['apps/v1', { group: 'apps', version: 'v1' }],
  ['', { group: '', version: '' }],
])('%s is read and written', (text, parts) => {
  expect(parseApiVersion(text)).toEqual(parts);
  expect(apiVersionOf(parts)).toBe(text);
});

test('more than one slash is no version', () => {
  expect(parseApiVersion('a/b/c')).toBeUndefined();
});

test('resources are named with their group', () => {
  expect([
    qualifiedResource({ group: '', resource: 'pods' }),
    qualifiedResource({ group: 'apps', resource: 'deployments' }),
  ]).toEqual(['pods', 'deployments.apps']);
});
