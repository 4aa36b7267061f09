import type { ResourceInfo } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { countOf, type FoundObject, kindsIn, type OwnedObject, ownedTree } from './owned-tree.js';

const kind = (name: string): ResourceInfo => ({
  group: '',
  version: 'v1',
  resource: `${name.toLowerCase()}s`,
  kind: name,
  namespaced: true,
  singular: name.toLowerCase(),
  shortNames: [],
  verbs: ['list'],
  categories: [],
  subresources: [],
});
const [pods, sets] = [kind('Pod'), kind('ReplicaSet')];

function found(info: ResourceInfo, name: string, ...owners: string[]): FoundObject {
  const ownerReferences = owners.map((uid) => ({ apiVersion: 'v1', kind: 'Any', name: uid, uid }));
  return { info, metadata: { name, uid: name, ownerReferences } };
}

const shape = (objects: readonly OwnedObject[]): unknown[] =>
  objects.map(({ metadata, owned }) => (owned.length > 0 ? [metadata.name, shape(owned)] : metadata.name));

test('a tree has the direct and indirect dependents, by kind and name', () => {
  const objects = [found(pods, 'b', 'set'), found(pods, 'a', 'set'), found(sets, 'set', 'web'), found(pods, 'x', 'y')];
  const tree = ownedTree(objects, 'web');
  expect(shape(tree)).toEqual([['set', ['a', 'b']]]);
  expect({ count: countOf(tree), kinds: [...kindsIn(tree)] }).toEqual({ count: 3, kinds: [sets, pods] });
});

test('owners in a circle end where they began, and two owners have the same child', () => {
  const objects = [found(pods, 'a', 'web', 'b'), found(pods, 'b', 'a')];
  expect(shape(ownedTree(objects, 'web'))).toEqual([['a', ['b']]]);
  expect(ownedTree(objects, 'nobody')).toEqual([]);
});
