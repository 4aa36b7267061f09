import type { PersistentVolumeClaim, Pod, StatefulSet } from '@coracle/api';
import type { OwnerReference } from '@coracle/apimachinery';
import { controllerReferenceTo } from '../owner-claims.js';
import { owner } from './identity.js';

type OwnerKind = typeof owner | typeof podKind;

const podKind = { apiVersion: 'v1', kind: 'Pod' } as const;

export interface ClaimHolder {
  readonly set: StatefulSet;
  readonly pod: Pod;
  /** Whether its ordinal is beyond the requested ones. */
  readonly isCondemned: boolean;
}

/**
 * The owners that a claim is to have. A claim that is to go with the set is owned by it; one that is to go when the set
 * shrinks is owned by its pod, from the moment at which that pod is condemned. A claim of an earlier set or pod of the
 * same name is left as it is, and one that another controller manages gets no owner beside it.
 */
export function claimOwners(claim: PersistentVolumeClaim, holder: ClaimHolder): readonly OwnerReference[] {
  const { set, pod, isCondemned } = holder;
  const owners = claim.metadata.ownerReferences ?? [];
  if (owners.some((one) => isStaleOwner(one, set, owner) || isStaleOwner(one, pod, podKind))) return owners;
  const others = owners.filter((one) => !refersTo(one, set, owner) && !refersTo(one, pod, podKind));
  if (hasConflict(claim, holder)) return others;
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const goesWithPod = whenScaled === 'Delete' && isCondemned;
  const goesWithSet = whenDeleted === 'Delete' && !goesWithPod;
  return [
    ...others,
    ...(goesWithSet ? [controllerReferenceTo(set, owner)] : []),
    ...(goesWithPod ? [controllerReferenceTo(pod, podKind)] : []),
  ];
}

/** Another controller manages a claim that would go by the retention policy. */
export function hasConflict({ metadata }: PersistentVolumeClaim, { set, pod }: ClaimHolder): boolean {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenDeleted !== 'Delete' && whenScaled !== 'Delete') return false;
  return (metadata.ownerReferences ?? []).some(
    (one) => one.controller && !refersTo(one, set, owner) && !refersTo(one, pod, podKind),
  );
}

export function hasOwners({ metadata }: PersistentVolumeClaim, desiredOwners: readonly OwnerReference[]): boolean {
  const owners = metadata.ownerReferences ?? [];
  const isOwner = ({ uid, controller }: OwnerReference) =>
    owners.some((one) => one.uid === uid && Boolean(one.controller) === Boolean(controller));
  return owners.length === desiredOwners.length && desiredOwners.every(isOwner);
}

/** With whenScaled Delete, the claim of a deleted pod will be deleted too: a new pod must not use it. */
export function isStale({ metadata }: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return (metadata.ownerReferences ?? []).some((one) => isStaleOwner(one, pod, podKind));
}

interface Named {
  readonly metadata: StatefulSet['metadata'];
}

function refersTo(reference: OwnerReference, { metadata }: Named, { apiVersion, kind }: OwnerKind): boolean {
  return reference.apiVersion === apiVersion && reference.kind === kind && reference.name === metadata.name;
}

function isStaleOwner(reference: OwnerReference, object: Named, kind: OwnerKind): boolean {
  return refersTo(reference, object, kind) && reference.uid !== object.metadata.uid;
}
