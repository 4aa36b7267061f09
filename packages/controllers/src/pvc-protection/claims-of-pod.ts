import type { PersistentVolumeClaim, Pod } from '@coracle/api';

/** The names of all claims that a pod's volumes may stand for, those of generic ephemeral volumes included. */
export function claimsOfPod({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });
}

/**
 * Whether a pod keeps a claim from being deleted. One without a node does not: no kubelet starts it with a claim that is
 * being deleted. An ephemeral claim is no longer used once the kubelet has finished with its pod.
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName || pod.metadata.namespace !== claim.metadata.namespace) return false;
  const { name } = claim.metadata;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName === name;
    if (!volume.ephemeral || `${pod.metadata.name}-${volume.name}` !== name) return false;
    return !isShutDown(pod) && isMadeFor(claim, pod);
  });
}

function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function isMadeFor({ metadata }: PersistentVolumeClaim, pod: Pod): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.metadata.uid) ?? false;
}
