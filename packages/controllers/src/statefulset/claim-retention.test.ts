import type { PersistentVolumeClaim, Pod, StatefulSet } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { claimOwners, hasConflict, hasOwners, isStale } from './claim-retention.js';

const claim: PersistentVolumeClaim = { metadata: { name: 'data-s-0' } };
const pod: Pod = { metadata: { name: 's-0', uid: 'pod' } };
const set = (whenDeleted: string, whenScaled: string): StatefulSet => ({
  metadata: { name: 's', uid: 'set' },
  spec: { selector: {}, template: {}, persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
});

describe('claimOwners', () => {
  test.each([
    ['Retain', 'Retain', false, []],
    ['Retain', 'Retain', true, []],
    ['Delete', 'Retain', false, ['set']],
    ['Delete', 'Retain', true, ['set']],
    ['Retain', 'Delete', false, []],
    ['Retain', 'Delete', true, ['pod']],
    ['Delete', 'Delete', false, ['set']],
    ['Delete', 'Delete', true, ['pod']],
  ])('with %s and %s, condemned %s, are %j', (whenDeleted, whenScaled, isCondemned, expected) => {
    const owners = claimOwners(claim, { set: set(whenDeleted, whenScaled), pod, isCondemned });
    expect(owners.map(({ uid }) => uid)).toEqual(expected);
  });

  test('keep owners of others and drop their own that no longer apply', () => {
    const other = { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x' };
    const stale = { apiVersion: 'v1', kind: 'Pod', name: 's-0', uid: 'pod' };
    const owned = { metadata: { ...claim.metadata, ownerReferences: [other, stale] } };
    const owners = claimOwners(owned, { set: set('Retain', 'Delete'), pod, isCondemned: false });
    expect(owners).toEqual([other]);
  });

  test('stay as they are where an earlier pod or set of the same name has the claim', () => {
    const earlier = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'before', controller: true };
    const owned = { metadata: { ...claim.metadata, ownerReferences: [earlier] } };
    const holder = { set: set('Delete', 'Retain'), pod, isCondemned: false };
    expect(claimOwners(owned, holder)).toEqual([earlier]);
  });

  test('get none beside another controller', () => {
    const other = { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true };
    const own = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'set', controller: true };
    const owned = { metadata: { ...claim.metadata, ownerReferences: [other, own] } };
    const holder = (whenDeleted: string) => ({ set: set(whenDeleted, 'Retain'), pod, isCondemned: false });
    expect(claimOwners(owned, holder('Delete'))).toEqual([other]);
    expect([hasConflict(owned, holder('Delete')), hasConflict(owned, holder('Retain'))]).toEqual([true, false]);
  });
});

test('a set that owns a claim must control it', () => {
  const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'set' };
  const owned = { metadata: { ...claim.metadata, ownerReferences: [reference] } };
  const desired = claimOwners(owned, { set: set('Delete', 'Retain'), pod, isCondemned: false });
  expect(hasOwners(owned, desired)).toBe(false);
});

test('a claim of a deleted pod is stale only with whenScaled Delete', () => {
  const gone = { apiVersion: 'v1', kind: 'Pod', name: 's-0', uid: 'gone' };
  const owned = { metadata: { ...claim.metadata, ownerReferences: [gone] } };
  const next = { metadata: { name: 's-0' } };
  expect(isStale(owned, set('Retain', 'Delete'), next)).toBe(true);
  expect(isStale(owned, set('Retain', 'Retain'), next)).toBe(false);
});
