import {
  claimClass,
  claimMismatch,
  findVolume,
  isBoundTo,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type storagev1,
} from '@coracle/api';
import { bindCompleted, selectedNode } from './annotations.js';

export interface ClaimEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type ClaimPlan =
  | { readonly kind: 'bind'; readonly volume: PersistentVolume }
  | { readonly kind: 'lost'; readonly event: ClaimEvent }
  /** There is nothing to bind to. */
  | { readonly kind: 'wait'; readonly event?: ClaimEvent }
  | { readonly kind: 'provision'; readonly className: string }
  /** The claim names no class, and the cluster has a default class by now. */
  | { readonly kind: 'assign-class'; readonly className: string };

export interface ClaimView {
  readonly claim: PersistentVolumeClaim;
  /** Called only if the claim has no volume yet. */
  volumes(): readonly PersistentVolume[];
  volumeNamed(name: string): PersistentVolume | undefined;
  classNamed(name: string): storagev1.StorageClass | undefined;
  readonly defaultClass: string | undefined;
  readonly isProvisioningEnabled: boolean;
  /** Names of pods that use the claim and have no node yet. */
  waitingPods(): readonly string[];
}

/** Decides the next step for a claim. Pure. */
export function planClaim(view: ClaimView): ClaimPlan {
  return view.claim.metadata.annotations?.[bindCompleted] === undefined ? planUnbound(view) : planBound(view);
}

function planBound({ claim, volumeNamed }: ClaimView): ClaimPlan {
  const { volumeName } = claim.spec ?? {};
  if (!volumeName)
    return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  const volume = volumeNamed(volumeName);
  if (!volume) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const { claimRef } = volume.spec ?? {};
  if (!claimRef || claimRef.uid === claim.metadata.uid) return { kind: 'bind', volume };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

function planUnbound(view: ClaimView): ClaimPlan {
  const { claim, volumeNamed } = view;
  const { volumeName } = claim.spec ?? {};
  if (!volumeName) return planSearch(view);
  const volume = volumeNamed(volumeName);
  if (!volume) return { kind: 'wait' };
  const { claimRef } = volume.spec ?? {};
  if (claimRef) {
    if (isBoundTo(claimRef, claim)) return { kind: 'bind', volume };
    return wait('Warning', 'FailedBinding', `volume "${volumeName}" already bound to a different claim.`);
  }
  const mismatch = claimMismatch(volume, claim);
  if (mismatch === undefined) return { kind: 'bind', volume };
  return wait('Warning', 'VolumeMismatch', `Cannot bind to requested volume "${volumeName}": ${mismatch}`);
}

function planSearch(view: ClaimView): ClaimPlan {
  const { claim, defaultClass } = view;
  const className = claimClass(claim);
  const delayed = isDelayed(view, className);
  const volume = findVolume(claim, view.volumes(), { delayed });
  if (volume) return { kind: 'bind', volume };
  if (className === undefined && defaultClass !== undefined) return { kind: 'assign-class', className: defaultClass };
  if (delayed) return { kind: 'wait', event: delayEvent(view) };
  if (className) return view.isProvisioningEnabled ? { kind: 'provision', className } : { kind: 'wait' };
  return wait('Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
}

/** Delayed binding: the scheduler chooses a node first, for the pod that uses the claim. */
function isDelayed({ claim, classNamed }: ClaimView, className: string | undefined): boolean {
  if (!className || claim.metadata.annotations?.[selectedNode]) return false;
  return classNamed(className)?.volumeBindingMode === 'WaitForFirstConsumer';
}

function delayEvent({ waitingPods }: ClaimView): ClaimEvent {
  const pods = waitingPods();
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message };
  }
  const message =
    pods.length === 1
      ? `waiting for pod ${pods[0]} to be scheduled`
      : `waiting for pods ${pods.join(',')} to be scheduled`;
  return { type: 'Normal', reason: 'WaitForPodScheduled', message };
}

function wait(type: ClaimEvent['type'], reason: string, message: string): ClaimPlan {
  return { kind: 'wait', event: { type, reason, message } };
}

function lost(reason: string, message: string): ClaimPlan {
  return { kind: 'lost', event: { type: 'Warning', reason, message } };
}
