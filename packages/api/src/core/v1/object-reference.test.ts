import { describe, expect, test } from 'vitest';
import { objectReference } from './object-reference.js';

describe('a reference to an object', () => {
  test.each([
    {
      name: 'says which it is, and in which state it was',
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '7', labels: { app: 'web' } },
        spec: {},
      },
      reference: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        namespace: 'default',
        uid: 'u',
        resourceVersion: '7',
      },
    },
    { name: 'leaves out what the object does not say', object: { metadata: { name: 'n' } }, reference: { name: 'n' } },
    { name: 'leaves out what is empty', object: { metadata: { name: 'n', namespace: '' } }, reference: { name: 'n' } },
  ])('$name', ({ object, reference }) => {
    expect(objectReference(object)).toEqual(reference);
  });
});
