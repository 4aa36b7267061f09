import { schemaOfKind } from '@coracle/api';
import { encodeKind, type KubeObject, type ObjectSchema } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { ObjectFormat } from './object-format.js';
import { StoredObject } from './stored-object.js';

const format = new ObjectFormat('v1', 'ConfigMap');
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const object = { metadata: { name: 'ä', resourceVersion: '7' }, data: { k: 'v' } };

describe('a stored value', () => {
  test('ETCD-04 ETCD-06 has no resourceVersion, and gets it without being read', () => {
    const value = format.encode(object);
    expect(text(value)).toBe('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"ä"},"data":{"k":"v"}}');
    const bytes = format.withRevision(value, 42);
    expect(JSON.parse(text(bytes)).metadata).toEqual({ name: 'ä', resourceVersion: '42' });
    expect(format.withoutRevision(bytes, 42)).toEqual(value);
    for (const revision of [7, 43, 1_000]) {
      expect(format.moveRevision(bytes, 42, revision)).toEqual(format.withRevision(value, revision));
    }
  });

  test('has managed fields, in their usual JSON', () => {
    const fieldsV1 = { 'f:data': { '.': {}, 'f:ä"': {} } };
    const entry = { manager: 'a"b', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 } as const;
    const managedFields = [entry, { ...entry, manager: 'c' }, { operation: 'Apply' as const }];
    for (const metadata of [{ managedFields }, { name: 'a', managedFields }, { name: 'a', managedFields: [] }]) {
      const { metadata: read } = JSON.parse(text(format.encode({ metadata: structuredClone(metadata) })));
      expect(read).toEqual(metadata);
    }
  });

  test('in another order of fields is reordered', () => {
    const foreign = new TextEncoder().encode('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}');
    expect(format.isCanonical(foreign)).toBe(false);
    const stored = StoredObject.fromKeyValue(
      { key: 'k', value: foreign, createRevision: 5, modRevision: 5, version: 1, lease: 0 },
      format,
    );
    expect(JSON.parse(text(stored.bytes))).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: '5' },
    });
  });
});

describe('a value that kube-apiserver stored as protobuf', () => {
  test('is read like any other', () => {
    const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' }) as ObjectSchema;
    const foreign = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    const value = encodeKind(foreign, schema);
    const stored = StoredObject.fromKeyValue(
      { key: 'k', value, createRevision: 5, modRevision: 5, version: 1, lease: 0 },
      format,
    );
    expect(stored.object).toMatchObject({ metadata: { name: 'a', resourceVersion: '5' }, data: { k: 'v' } });
  });
});

describe('a stored object', () => {
  test('that was only tried out has no resourceVersion', () => {
    const stored = StoredObject.fromObject('k', format, { metadata: { name: 'a' } });
    expect(JSON.parse(text(stored.bytes)).metadata).toEqual({ name: 'a' });
  });

  test('gets its revision once, and is equal after it has been compacted', () => {
    const stored = StoredObject.fromObject('k', format, { metadata: { name: 'a' } });
    stored.settle(9);
    stored.settle(10);
    const { bytes, object: before } = stored;
    expect(stored.revision).toBe(9);
    expect(before.metadata.resourceVersion).toBe('9');
    stored.shrink();
    expect(stored.bytes).toEqual(bytes);
    expect(stored.object.metadata).toEqual({ name: 'a', resourceVersion: '9' });
  });

  test.each(['stored', 'sent'])('that is deleted has the revision of its deletion, also if it was %s', (form) => {
    const stored = StoredObject.fromObject('k', format, { metadata: { name: 'a' } });
    stored.settle(9);
    if (form === 'sent') expect(JSON.parse(text(stored.bytes)).metadata.resourceVersion).toBe('9');
    const deleted = stored.atRevision(10);
    expect(deleted.revision).toBe(10);
    expect(JSON.parse(text(deleted.bytes)).metadata).toEqual({ name: 'a', resourceVersion: '10' });
    expect(deleted.object.metadata).toEqual({ name: 'a', resourceVersion: '10' });
    expect(deleted.value).toEqual(stored.value);
    expect(stored.object.metadata.resourceVersion).toBe('9');
  });

  test('that is compressed is equal, and is decompressed for each reader', () => {
    const data = { text: 'the same words again '.repeat(400) };
    const object: KubeObject & { data: object } = { metadata: { name: 'a' }, data };
    const stored = StoredObject.fromObject('k', format, object);
    stored.settle(9);
    const { bytes, value } = stored;
    expect(stored.bytes).toBe(bytes);
    stored.pack();
    expect(stored.bytes).toEqual(bytes);
    expect(stored.bytes).not.toBe(stored.bytes);
    expect(stored.value).toEqual(value);
    expect(stored.size).toBe(bytes.length);
    expect(stored.object).toMatchObject({ metadata: { name: 'a', resourceVersion: '9' }, data });
    expect(stored.atRevision(12).object).toMatchObject({ metadata: { resourceVersion: '12' }, data });
    stored.shrink();
    expect(stored.bytes).not.toBe(stored.bytes);
    expect(stored.form('x', () => ({}))).toBe(stored.form('x', () => ({})));
  });

  test('is deleted under the revision of the deletion', () => {
    const stored = StoredObject.fromObject('k', format, { metadata: { name: 'a' } });
    stored.settle(9);
    expect(stored.atRevision(12).object.metadata.resourceVersion).toBe('12');
    expect(stored.object.metadata.resourceVersion).toBe('9');
  });
});
