import { expect, test } from 'vitest';
import { resourceOfKey } from './resource-of-key.js';

test('keys of several resources in any order, each with its own', () => {
  const keys = [
    '/registry/pods/default/a',
    '/registry/podtemplates/default/a',
    '/registry/pods/default/b',
    '/registry/services/specs/default/a',
    '/registry/services/endpoints/default/a',
    '/registry/services/specs/default/b',
    '/registry/example.com/widgets/default/a',
    '/registry/example.com/gadgets/default/a',
  ];
  const names = keys.map((key) => {
    const { group, resource } = resourceOfKey(key) ?? { group: '?', resource: '?' };
    return group === '' ? resource : `${resource}.${group}`;
  });
  expect(names).toEqual([
    'pods',
    'podtemplates',
    'pods',
    'services',
    'endpoints',
    'services',
    'widgets.example.com',
    'gadgets.example.com',
  ]);
});

test('a key without an object has no resource, also below an object', () => {
  expect(resourceOfKey('/registry/pods/default/a')?.resource).toBe('pods');
  expect(resourceOfKey('/registry/pods')).toBeUndefined();
  expect(resourceOfKey('/registry/ranges/serviceips')).toBeUndefined();
  expect(resourceOfKey('elsewhere/pods/default/a')).toBeUndefined();
});
