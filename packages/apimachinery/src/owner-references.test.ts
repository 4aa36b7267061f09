import { expect, test } from 'vitest';
import {
  controllerOf,
  controllerReference,
  gvkOf,
  isControlledBy,
  ownerReference,
  refersTo,
  withOwnerReference,
  withoutOwner,
} from './owner-references.js';

const gvk = { group: 'apps', version: 'v1', kind: 'ReplicaSet' };
const owner = { metadata: { name: 'rs', uid: 'u1' } };
const reference = controllerReference(owner, gvk);

test('a controller reference names the owner and blocks its deletion', () => {
  expect(reference).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'rs',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  });
});

test('only the reference with controller: true is the controller', () => {
  const plain = ownerReference({ metadata: { name: 'x', uid: 'u2' } }, gvk);
  const pod = { metadata: { ownerReferences: [plain, reference] } };
  expect(controllerOf(pod)).toBe(reference);
  expect([
    isControlledBy(pod, owner),
    isControlledBy(pod, { metadata: { uid: 'u2' } }),
    isControlledBy({ metadata: {} }, { metadata: {} }),
  ]).toEqual([true, false, false]);
});

test('references are added and replaced by uid', () => {
  const meta = { ownerReferences: [ownerReference(owner, gvk)] };
  expect(withOwnerReference(meta, reference)).toEqual([reference]);
  expect(withOwnerReference({}, reference)).toEqual([reference]);
  expect(withoutOwner(meta, 'u1')).toEqual([]);
});

test('a reference to a kind is one in any version of its group', () => {
  expect([
    refersTo(reference, gvk),
    refersTo({ ...reference, apiVersion: 'apps/v2' }, gvk),
    refersTo({ ...reference, apiVersion: 'v1' }, gvk),
  ]).toEqual([true, true, false]);
});

test('gvkOf is undefined without a valid apiVersion and kind', () => {
  expect([
    gvkOf({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }),
    gvkOf({ apiVersion: 'v1', kind: 'Pod' })?.group,
    gvkOf({ kind: 'Pod' }),
    gvkOf({ apiVersion: 'a/b/c', kind: 'Pod' }),
  ]).toEqual([gvk, '', undefined, undefined]);
});
