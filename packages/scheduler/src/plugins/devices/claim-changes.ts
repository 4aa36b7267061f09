import { refs, type resourcev1 } from '@coracle/api';
import { type KubeObject, keyOf } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';
import type { PodInfo } from '../../cache/pod-info.js';
import type { ClusterEvent } from '../../queue/cluster-event.js';

/**
 * The pods that a change of a claim can help: those that own it, by their uid, and those that refer to it. A claim that
 * releases devices may help any pod.
 */
export function claimChangeIsAbout(change: InformerEvent<KubeObject>): readonly string[] | undefined {
  const claim = change.object as resourcev1.ResourceClaim;
  const before = change.type === 'updated' ? (change.previous as resourcev1.ResourceClaim) : undefined;
  if (change.type === 'deleted' ? claim.status?.allocation : before?.status?.allocation && !claim.status?.allocation)
    return undefined;
  return [keyOf(claim), ...(claim.metadata.ownerReferences ?? []).map(({ uid }) => uid)];
}

/** Selects the changes of claims that can help the pod. */
export function claimSubjects({ pod, uid }: PodInfo): readonly string[] {
  const { namespace } = pod.metadata;
  const named = [...(pod.spec?.resourceClaims ?? []), ...(pod.status?.resourceClaimStatuses ?? [])];
  return [uid, ...named.flatMap(({ resourceClaimName: name }) => (name === undefined ? [] : [`${namespace}/${name}`]))];
}

/** Events of claims: those of the pod, and those that release devices. Other resources may add matching devices. */
export function deviceChangeHelps(event: ClusterEvent, pod: PodInfo): boolean {
  if (event.kind !== 'other') return false;
  const { change } = event;
  if (event.resource !== refs.resourceClaims.resource || !change) return true;
  const about = claimChangeIsAbout(change);
  return about === undefined || claimSubjects(pod).some((subject) => about.includes(subject));
}
