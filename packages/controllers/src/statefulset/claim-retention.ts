import type { PersistentVolumeClaim, Pod, StatefulSet } from '@coracle/api';
import type { OwnerReference } from '@coracle/apimachinery';
import { controllerReferenceTo } from '../owner-claims.js';
import { owner } from './identity.js';

export interface ClaimHolder {
  readonly set: StatefulSet;
  readonly pod: Pod;
  /** Its number is beyond those that the set requests. */
  readonly isCondemned: boolean;
}

/**
 * The owner of a claim. A claim that is deleted with the set is owned by it; one that is deleted when the set is scaled
 * down is owned by its pod, from the moment at which that pod is condemned.
 */
export function claimOwners(claim: PersistentVolumeClaim, { set, pod, isCondemned }: ClaimHolder): OwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const goesWithPod = whenScaled === 'Delete' && isCondemned;
  const goesWithSet = whenDeleted === 'Delete' && !goesWithPod;
  const others = (claim.metadata.ownerReferences ?? []).filter(
    ({ uid, kind, name }) => uid !== set.metadata.uid && !(kind === 'Pod' && name === pod.metadata.name),
  );
  return [
    ...others,
    ...(goesWithSet ? [controllerReferenceTo(set, owner)] : []),
    ...(goesWithPod ? [controllerReferenceTo(pod, { apiVersion: 'v1', kind: 'Pod' })] : []),
  ];
}

export function hasOwners({ metadata }: PersistentVolumeClaim, desiredOwners: readonly OwnerReference[]): boolean {
  const owners = metadata.ownerReferences ?? [];
  return (
    owners.length === desiredOwners.length && desiredOwners.every(({ uid }) => owners.some((one) => one.uid === uid))
  );
}

/** A claim that is owned by a deleted pod of that name will be deleted too: a new pod must not use it. */
export function isStale({ metadata }: PersistentVolumeClaim, podName: string): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Pod' && name === podName);
}
