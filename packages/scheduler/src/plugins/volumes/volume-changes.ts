import type { PodInfo } from '../../cache/pod-info.js';
import type { Plugin } from '../../framework/plugin.js';
import type { ClusterEvent } from '../../queue/cluster-event.js';
import { claimNames } from './pod-claims.js';

const claims = 'persistentvolumeclaims';

/** Queueing hints of the volume plugins: nodes that come or change, and changes of these resources. */
export function changesOf(...resources: readonly string[]): NonNullable<Plugin['wakesOn']> {
  return [{ event: 'node-added' }, { event: 'node-updated' }, resourceChanges(...resources)];
}

/** Changes of these resources. Of claims, only the pod's own can help it. */
export function resourceChanges(...resources: readonly string[]): NonNullable<Plugin['wakesOn']>[number] {
  return {
    event: 'other',
    resources,
    helps: (event, pod) => event.kind === 'other' && (event.resource !== claims || isOwnClaim(event, pod)),
  };
}

/** The volumes of a pod that goes are free then. */
export const podsWithVolumes: NonNullable<Plugin['wakesOn']>[number] = {
  event: 'pod-deleted',
  helps: (event) => event.kind === 'pod-deleted' && (event.pod.pod.spec?.volumes?.length ?? 0) > 0,
};

function isOwnClaim({ change }: Extract<ClusterEvent, { kind: 'other' }>, { pod, namespace }: PodInfo): boolean {
  if (!change) return true;
  const { metadata } = change.object;
  return metadata.namespace === namespace && claimNames(pod).some(({ name }) => name === metadata.name);
}
