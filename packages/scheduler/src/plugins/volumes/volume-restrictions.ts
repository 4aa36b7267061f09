import type { Pod, Volume } from '@coracle/api';
import type { NodeInfo } from '../../cache/node-info.js';
import type { PodInfo } from '../../cache/pod-info.js';
import { type CycleState, stateKey } from '../../framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/plugin.js';
import { fits, unschedulable } from '../../framework/verdict.js';
import { podsWithVolumes, resourceChanges } from './volume-changes.js';
import type { VolumeListers } from './volume-listers.js';

const diskConflict = unschedulable('node(s) had no available disk');
const exclusiveConflict = unschedulable(
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
);

/** The ReadWriteOncePod claims of a pod, and the number of other pods that use them. */
interface ExclusiveClaims {
  readonly names: ReadonlySet<string>;
  uses: number;
}

const exclusiveKey = stateKey<ExclusiveClaims>('VolumeRestrictions/exclusive', (claims) => ({ ...claims }));

/** Filters out nodes because of disks and claims that another pod uses exclusively. */
export function volumeRestrictions(listers: VolumeListers): PreFilterPlugin & FilterPlugin {
  return {
    name: 'VolumeRestrictions',
    wakesOn: [podsWithVolumes, { event: 'node-added' }, resourceChanges('persistentvolumeclaims')],
    preFilter(state, { pod, namespace }) {
      const names = new Set(statedClaims(pod).filter((name) => isExclusive(listers, `${namespace}/${name}`)));
      const uses = [...names].filter((name) => state.tallies.isClaimUsed(namespace, name)).length;
      if (uses === 0 && !hasDisks(pod)) return { kind: 'skip' };
      state.write(exclusiveKey, { names, uses });
      return { kind: 'ready' };
    },
    addPod: (state, pod, { other }) => countUses(state, pod, { other, sign: 1 }),
    removePod: (state, pod, { other }) => countUses(state, pod, { other, sign: -1 }),
    filter(state, { pod }, node) {
      if (conflictsWith(pod, node)) return diskConflict;
      return (state.read(exclusiveKey)?.uses ?? 0) > 0 ? exclusiveConflict : fits;
    },
  };
}

function isExclusive(listers: VolumeListers, key: string): boolean {
  return listers.claim(key)?.spec?.accessModes?.includes('ReadWriteOncePod') === true;
}

/** Claims that the pod refers to by name: generic ephemeral volumes have claims of their own. */
function statedClaims({ spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

/** Lets preemption of the pod that uses a claim count as help. */
function countUses(
  state: CycleState,
  pod: PodInfo,
  { other, sign }: { readonly other: PodInfo; readonly sign: 1 | -1 },
): void {
  const claims = state.read(exclusiveKey);
  if (!claims || claims.names.size === 0 || other.namespace !== pod.namespace) return;
  claims.uses += sign * statedClaims(other.pod).filter((name) => claims.names.has(name)).length;
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

/** Whether both use the same disk, and not both read-only where that is possible. */
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
