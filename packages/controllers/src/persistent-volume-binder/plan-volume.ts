import type { PersistentVolume, PersistentVolumeClaim } from '@coracle/api';
import { provisionedBy } from './annotations.js';

export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';

export type VolumePlan =
  | { readonly kind: 'phase'; readonly phase: 'Available' | 'Bound' }
  /** Its claim exists and is not bound to it yet: the claim has to be synced. */
  | { readonly kind: 'wake-claim' }
  | { readonly kind: 'mode-mismatch' }
  /** Its claim is bound to another volume. */
  | { readonly kind: 'unbind' }
  /** Its claim was deleted, or a volume that was provisioned for it is not needed. */
  | { readonly kind: 'release'; readonly reclaim: Reclaim };

export type Reclaim =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

/** Decides the phase of a volume, given the claim of its `claimRef` (`undefined` if that was deleted). */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const { claimRef, volumeMode = 'Filesystem', persistentVolumeReclaimPolicy } = volume.spec ?? {};
  if (!claimRef?.uid) return { kind: 'phase', phase: 'Available' };
  if (!claim) return { kind: 'release', reclaim: planReclaim(volume) };
  const { volumeName, volumeMode: claimMode = 'Filesystem' } = claim.spec ?? {};
  if (!volumeName) return volumeMode === claimMode ? { kind: 'wake-claim' } : { kind: 'mode-mismatch' };
  if (volumeName === volume.metadata.name) return { kind: 'phase', phase: 'Bound' };
  const isMade = volume.metadata.annotations?.[provisionedBy] !== undefined;
  if (isMade && persistentVolumeReclaimPolicy === 'Delete') return { kind: 'release', reclaim: planReclaim(volume) };
  return { kind: 'unbind' };
}

/** The controller's own action for the reclaim policy. Drivers delete the volumes that they provisioned. */
function planReclaim({ metadata, spec }: PersistentVolume): Reclaim {
  const isDrivers = metadata.annotations?.[provisionedBy] !== undefined || spec?.csi !== undefined;
  switch (spec?.persistentVolumeReclaimPolicy) {
    case 'Recycle':
      return failed('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    case 'Delete':
      if (isDrivers) return { kind: 'nothing' };
      return failed(
        'VolumeFailedDelete',
        `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`,
      );
    default:
      return { kind: 'nothing' };
  }
}

function failed(reason: string, message: string): Reclaim {
  return { kind: 'failed', reason, message };
}
