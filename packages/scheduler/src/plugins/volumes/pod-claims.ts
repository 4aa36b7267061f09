import { claimClass, type PersistentVolumeClaim, type Pod } from '@coracle/api';
import { controllerOf } from '@coracle/apimachinery';
import type { VolumeListers } from './volume-listers.js';

const bindCompleted = 'pv.kubernetes.io/bind-completed';

/** The claims of a pod, by state. */
export interface PodClaims {
  /** Bound claims. */
  readonly bound: readonly PersistentVolumeClaim[];
  /** Claims with delayed binding. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

export type ClaimsResult =
  | { readonly kind: 'claims'; readonly claims: PodClaims }
  /** Why the pod cannot be scheduled on any node for now. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface ClaimName {
  readonly name: string;
  /** Created for the pod by the ephemeral volume controller. */
  readonly isEphemeral: boolean;
}

/** The names of the claims of a pod's volumes. */
export function claimNames({ metadata, spec }: Pod): ClaimName[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimName[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata.name}-${name}`, isEphemeral: true }] : [];
  });
}

export function readPodClaims(pod: Pod, listers: VolumeListers): ClaimsResult {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let hasUnbound = false;
  for (const { name, isEphemeral } of claimNames(pod)) {
    const claim = listers.claim(`${pod.metadata.namespace}/${name}`);
    const reason = refusal(pod, claim, { name, isEphemeral });
    if (reason !== undefined || !claim) return { kind: 'refused', reason: reason ?? '' };
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(claim, listers) && !claim.spec?.volumeName) delayed.push(claim);
    else hasUnbound = true;
  }
  if (hasUnbound) return { kind: 'refused', reason: 'pod has unbound immediate PersistentVolumeClaims' };
  return { kind: 'claims', claims: { bound, delayed } };
}

function refusal(
  pod: Pod,
  claim: PersistentVolumeClaim | undefined,
  { name, isEphemeral }: ClaimName,
): string | undefined {
  if (!claim)
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  if (claim.status?.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName}"`;
  if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
  const { namespace, name: podName, uid } = pod.metadata;
  if (isEphemeral && controllerOf(claim)?.uid !== uid)
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
  return undefined;
}

export function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;
}

function isDelayed(claim: PersistentVolumeClaim, { storageClass }: VolumeListers): boolean {
  const name = claimClass(claim);
  return name ? storageClass(name)?.volumeBindingMode === 'WaitForFirstConsumer' : false;
}
