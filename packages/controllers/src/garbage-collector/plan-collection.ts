import { foregroundFinalizer, type OwnerReference, orphanFinalizer } from '@coracle/apimachinery';

/** The state of an owner: it exists, it does not exist, or it waits for the deletion of its dependents. */
export type OwnerState = 'solid' | 'dangling' | 'waiting';

export interface CollectionView {
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  readonly dependents: Iterable<{ readonly deletingDependents: boolean }>;
  readonly finalizers: readonly string[];
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export type CollectionPlan =
  | { readonly kind: 'keep' }
  /** Other owners exist; the references to absent ones are removed. */
  | { readonly kind: 'unlink'; readonly uids: readonly string[] }
  /** `unblock`: clears blockOwnerDeletion first, because its owners may wait for each other in a cycle. */
  | { readonly kind: 'delete'; readonly propagation: Propagation; readonly unblock: boolean };

/** The action on an object, by the state of its owners. */
export function planCollection({ owners, dependents, finalizers }: CollectionView): CollectionPlan {
  const gone = owners.filter(({ state }) => state !== 'solid');
  if (gone.length === 0) return { kind: 'keep' };
  if (gone.length < owners.length) return { kind: 'unlink', uids: gone.map(({ reference }) => reference.uid) };
  const own = [...dependents];
  const isWaitedFor = owners.some(({ state }) => state === 'waiting');
  if (isWaitedFor && own.length > 0) {
    const unblock = own.some(({ deletingDependents }) => deletingDependents);
    return { kind: 'delete', propagation: 'Foreground', unblock };
  }
  return { kind: 'delete', propagation: propagationOf(finalizers), unblock: false };
}

/** The propagation policy that was requested before, if any. */
function propagationOf(finalizers: readonly string[]): Propagation {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}
