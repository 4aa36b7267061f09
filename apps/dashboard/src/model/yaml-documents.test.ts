import { expect, test } from 'vitest';
import { documentAt, kindIn, starterFor } from './yaml-documents.js';

const text = 'a: 1\nb: 2\n---\nc: 3\n---\nd: 4';

test.each([
  [0, 'a: 1\nb: 2', 0],
  [1, 'a: 1\nb: 2', 0],
  [3, 'c: 3', 3],
  [5, 'd: 4', 5],
  [99, 'd: 4', 5],
])('line %i is in the document %j', (line, expected, begins) => {
  expect(documentAt(text, line)).toEqual({ text: expected, line: begins });
});

test.each([
  ['apiVersion: apps/v1\nkind: "Deployment"\nspec:\n  re', { apiVersion: 'apps/v1', kind: 'Deployment' }],
  ['kind: Pod\n', undefined],
  ['spec:\n  kind: Pod\n  apiVersion: v1', undefined],
])('%j says that it is %j', (document, expected) => {
  expect(kindIn(document)).toEqual(expected);
});

test('a new object begins with its kind, and its namespace if it is in one', () => {
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment', namespaced: true };
  expect(starterFor(kind, 'shop')).toBe(
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: \n  namespace: shop\n',
  );
  expect(starterFor({ group: '', version: 'v1', kind: 'Namespace', namespaced: false }, 'shop')).not.toContain('shop');
});
