import { describe, expect, test } from 'vitest';
import { ObjectFormat } from './object-format.js';
import { StoredObject } from './stored-object.js';

test('the last state of a deleted object is encoded once for its response and its event', () => {
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

describe('an object that was stored in another version', () => {
  const boat = { kind: 'Boat', apiVersion: 'example.com/v1', metadata: { name: 'a' }, hostPort: 'here:80' };
  const key = '/registry/example.com/boats/a';
  const value = new TextEncoder().encode(JSON.stringify(boat));
  const read = (keepsVersions: boolean) => {
    const keyValue = { key, value, createRevision: 3, modRevision: 3, version: 1, lease: 0 };
    return StoredObject.fromKeyValue(keyValue, new ObjectFormat('example.com/v2', 'Boat', { keepsVersions }));
  };
  const sent = ({ bytes }: StoredObject) => JSON.parse(new TextDecoder().decode(bytes));
  const metadata = { name: 'a', resourceVersion: '3' };

  test.each([
    ['gets that of the format', false, 'example.com/v2'],
    ['stays in it where a webhook converts it', true, 'example.com/v1'],
  ])('%s', (_what, keepsVersions, apiVersion) => {
    const stored = read(keepsVersions);
    for (let round = 0; round < 2; round++) {
      expect(stored.object).toEqual({ ...boat, apiVersion, metadata });
      expect(sent(stored)).toEqual({ ...boat, apiVersion, metadata });
      expect(stored.atRevision(4).object).toMatchObject({ apiVersion, metadata: { resourceVersion: '4' } });
      expect(sent(stored.atRevision(4))).toMatchObject({ apiVersion, metadata: { resourceVersion: '4' } });
      stored.shrink();
    }
    stored.pack();
    expect(sent(stored)).toMatchObject({ apiVersion });
  });

  test('is not the writer’s decoded object', () => {
    const written = StoredObject.fromObject(key, new ObjectFormat('example.com/v1', 'Boat'), structuredClone(boat));
    const keyValue = { key, value, createRevision: 3, modRevision: 3, version: 1, lease: 0, decoded: written };
    const stored = StoredObject.fromKeyValue(keyValue, new ObjectFormat('example.com/v2', 'Boat'));
    expect(stored.object.apiVersion).toBe('example.com/v2');
  });
});
