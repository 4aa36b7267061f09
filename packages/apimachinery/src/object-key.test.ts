import { expect, test } from 'vitest';
import { keyOf, objectKey, splitObjectKey } from './object-key.js';

test.each([
  ['default', 'web', 'default/web'],
  ['', 'node', 'node'],
])('namespace "%s" and name "%s" make %s', (namespace, name, key) => {
  expect(objectKey(namespace, name)).toBe(key);
  expect(keyOf({ metadata: { namespace, name } })).toBe(key);
  expect(splitObjectKey(key)).toEqual({ namespace, name });
});
