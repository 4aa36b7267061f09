import type { PersistentVolumeClaim, Pod, StatefulSet } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { claimOwners } from './claim-retention.js';

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
});
