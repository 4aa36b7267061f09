import { expect, test } from 'vitest';
import { ObjectFormat } from './object-format.js';
import { StoredObject } from './stored-object.js';

test('the last state of a deleted object is made once for its response and its event', () => {
  const stored = StoredObject.fromObject('/registry/pods/a/b', new ObjectFormat('v1', 'Pod'), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'b', namespace: 'a' },
  });
  stored.settle(3);
  const deleted = stored.atRevision(5);
  expect(deleted.object.metadata.resourceVersion).toBe('5');
  expect(stored.atRevision(5)).toBe(deleted);
  expect(stored.atRevision(6).object.metadata.resourceVersion).toBe('6');
  expect(stored.object.metadata.resourceVersion).toBe('3');
});
