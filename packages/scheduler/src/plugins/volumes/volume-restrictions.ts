import type { Pod, Volume } from '@coracle/api';
import type { NodeInfo } from '../../cache/node-info.js';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/plugin.js';
import { fits, unschedulable } from '../../framework/verdict.js';
import { claimNames } from './pod-claims.js';
import { podsWithVolumes, resourceChanges } from './volume-changes.js';
import type { VolumeListers } from './volume-listers.js';

const diskConflict = unschedulable('node(s) had no available disk');
const exclusiveConflict =
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode';

/** Keeps disks that only one pod may use at a time to that pod. */
export function volumeRestrictions(listers: VolumeListers): PreFilterPlugin & FilterPlugin {
  return {
    name: 'VolumeRestrictions',
    wakesOn: [podsWithVolumes, { event: 'node-added' }, resourceChanges('persistentvolumeclaims')],
    preFilter(state, { pod, namespace }) {
      const exclusive = claimNames(pod).filter(({ name }) =>
        listers.claim(`${pod.metadata.namespace}/${name}`)?.spec?.accessModes?.includes('ReadWriteOncePod'),
      );
      if (exclusive.some(({ name }) => state.tallies.isClaimUsed(namespace, name)))
        return { kind: 'unschedulable', reasons: [exclusiveConflict] };
      return hasDisks(pod) ? { kind: 'ready' } : { kind: 'skip' };
    },
    filter: (_state, { pod }, node) => (conflictsWith(pod, node) ? diskConflict : fits),
  };
}

function hasDisks({ spec }: Pod): boolean {
  return (spec?.volumes ?? []).some(
    ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }) =>
      gcePersistentDisk ?? awsElasticBlockStore ?? iscsi ?? rbd,
  );
}

function conflictsWith({ spec }: Pod, node: NodeInfo): boolean {
  const disks = spec?.volumes ?? [];
  return [...node.pods.values()].some(({ pod }) =>
    (pod.spec?.volumes ?? []).some((other) => disks.some((disk) => isSameDisk(disk, other))),
  );
}

/** The same disk, unless both only read it where that is possible. */
function isSameDisk(a: Volume, b: Volume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk) {
    const bothRead = a.gcePersistentDisk.readOnly && b.gcePersistentDisk.readOnly;
    return a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName && !bothRead;
  }
  if (a.awsElasticBlockStore && b.awsElasticBlockStore)
    return a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID;
  if (a.iscsi && b.iscsi) return a.iscsi.iqn === b.iscsi.iqn && !(a.iscsi.readOnly && b.iscsi.readOnly);
  if (a.rbd && b.rbd) {
    const shared = a.rbd.monitors.some((monitor) => b.rbd?.monitors.includes(monitor));
    const isSame = a.rbd.pool === b.rbd.pool && a.rbd.image === b.rbd.image;
    return shared && isSame && !(a.rbd.readOnly && b.rbd.readOnly);
  }
  return false;
}
