import type { resourcev1 } from '@coracle/api';

export const deleteProtection = 'resource.kubernetes.io/delete-protection';

export interface ClaimState {
  readonly claim: resourcev1.ResourceClaim;
  /** Whether the pod of a reservation is deleted or will not restart. */
  readonly isGone: (consumer: resourcev1.ResourceClaimConsumerReference) => boolean;
  /** Whether it was created for a pod that will not run again. */
  readonly isOwnerDone: boolean;
}

export type ClaimPlan =
  | { readonly kind: 'nothing' }
  /** Without reservations the claim is deallocated, and may be deleted. */
  | {
      readonly kind: 'release';
      readonly reservedFor: readonly resourcev1.ResourceClaimConsumerReference[];
      readonly deallocates: boolean;
      readonly deletes: boolean;
    };

/** Decides the action on a claim. Pure. */
export function planResourceClaim({ claim, isGone, isOwnerDone }: ClaimState): ClaimPlan {
  const before = claim.status?.reservedFor ?? [];
  const reservedFor = before.filter(
    (consumer) => consumer.resource !== 'pods' || consumer.apiGroup || !isGone(consumer),
  );
  const isFree = reservedFor.length === 0;
  const deletes = isFree && isOwnerDone && !claim.metadata.deletionTimestamp;
  // A shared claim stays allocated for the next pod, as in upstream.
  const wasReleased = before.length > 0 || claim.metadata.deletionTimestamp !== undefined || isOwnerDone;
  const deallocates = isFree && wasReleased && (claim.status?.allocation !== undefined || isProtected(claim));
  if (reservedFor.length === before.length && !deallocates && !deletes) return { kind: 'nothing' };
  return { kind: 'release', reservedFor, deallocates, deletes };
}

function isProtected({ metadata }: resourcev1.ResourceClaim): boolean {
  return metadata.finalizers?.includes(deleteProtection) ?? false;
}
