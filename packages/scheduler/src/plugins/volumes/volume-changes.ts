import type { storagev1 } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import type { PodInfo } from '../../cache/pod-info.js';
import type { Plugin } from '../../framework/plugin.js';
import { claimNames } from './pod-claims.js';

/** Queueing hints of the volume plugins: nodes that are added or relabelled, and changes of these resources. */
export function changesOf(...resources: readonly string[]): NonNullable<Plugin['wakesOn']> {
  return [
    { event: 'node-added' },
    {
      event: 'node-updated',
      helps: (event) =>
        event.kind === 'node-updated' && !deepEqual(event.node.metadata.labels, event.previous.metadata.labels),
    },
    resourceChanges(...resources),
  ];
}

/** Changes of these resources that can help the pod. */
export function resourceChanges(...resources: readonly string[]): NonNullable<Plugin['wakesOn']>[number] {
  return {
    event: 'other',
    resources,
    helps: (event, pod) => {
      if (event.kind !== 'other' || !event.change) return event.kind === 'other';
      return (helpsBy[event.resource] ?? isMore)(event.change, pod);
    },
  };
}

type Helps = (change: InformerEvent<KubeObject>, pod: PodInfo) => boolean;

/** Deleting an object makes no volume bindable. */
const isMore: Helps = ({ type }) => type !== 'deleted';

const helpsBy: Readonly<Record<string, Helps>> = {
  persistentvolumeclaims: (change, pod) => isMore(change, pod) && isOwnClaim(change, pod),
  // Other fields of a class are immutable.
  storageclasses: (change) =>
    change.type === 'added' ||
    (change.type === 'updated' &&
      differs(change, ({ allowedTopologies }: storagev1.StorageClass) => allowedTopologies)),
  // A driver that does not report its capacity is assumed to have enough.
  csidrivers: (change) =>
    change.type === 'updated' && differs(change, ({ spec }: storagev1.CSIDriver) => spec.storageCapacity),
  // Attached volumes count against the limit of a node.
  volumeattachments: ({ type }) => type === 'deleted',
};

function differs<T extends KubeObject>(
  { object, previous }: { readonly object: KubeObject; readonly previous: KubeObject },
  read: (object: T) => unknown,
): boolean {
  return !deepEqual(read(object as T), read(previous as T));
}

/** The volumes of a deleted pod are released. */
export const podsWithVolumes: NonNullable<Plugin['wakesOn']>[number] = {
  event: 'pod-deleted',
  helps: (event) => event.kind === 'pod-deleted' && (event.pod.pod.spec?.volumes?.length ?? 0) > 0,
};

function isOwnClaim({ object: { metadata } }: InformerEvent<KubeObject>, { pod, namespace }: PodInfo): boolean {
  return metadata.namespace === namespace && claimNames(pod).some(({ name }) => name === metadata.name);
}
