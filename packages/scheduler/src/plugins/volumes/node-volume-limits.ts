import type { Pod } from '@coracle/api';
import type { NodeInfo } from '../../cache/node-info.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/plugin.js';
import { fits, unschedulable } from '../../framework/verdict.js';
import { claimNames } from './pod-claims.js';
import { podsWithVolumes, resourceChanges } from './volume-changes.js';
import type { VolumeListers } from './volume-listers.js';

type VolumesByDriver = Map<string, Set<string>>;

const wantedKey = stateKey<VolumesByDriver>('NodeVolumeLimits/wanted');
const exceeded = unschedulable('node(s) exceed max volume count');

/** Limits the number of volumes of a CSI driver on a node to the number that the driver reports. */
export function nodeVolumeLimits(listers: VolumeListers): PreFilterPlugin & FilterPlugin {
  return {
    name: 'NodeVolumeLimits',
    wakesOn: [
      podsWithVolumes,
      { event: 'node-added' },
      resourceChanges('csinodes', 'volumeattachments', 'persistentvolumeclaims'),
    ],
    preFilter(state, { pod }) {
      if (claimNames(pod).length === 0) return { kind: 'skip' };
      const volumes = volumesOf(pod, listers);
      if (volumes.size === 0) return { kind: 'skip' };
      state.write(wantedKey, volumes);
      return { kind: 'ready' };
    },
    filter(state, _pod, node) {
      const podVolumes = state.read(wantedKey);
      const drivers = listers.csiNode(node.name)?.spec.drivers;
      if (!podVolumes || !drivers) return fits;
      for (const { name, allocatable } of drivers) {
        const volumes = podVolumes.get(name);
        const limit = allocatable?.count;
        if (volumes && limit !== undefined && isBeyond(limit, name, { volumes, node, listers })) return exceeded;
      }
      return fits;
    },
  };
}

/**
 * Names of volumes are compared only if the limit may be near: most nodes have fewer volumes of all kinds together.
 */
function isBeyond(
  limit: number,
  driver: string,
  { volumes, node, listers }: { volumes: ReadonlySet<string>; node: NodeInfo; listers: VolumeListers },
): boolean {
  if (node.volumeCount + listers.attachmentsOn(node.name).length + volumes.size <= limit) return false;
  const used = attachedOn(node, listers).get(driver);
  const added = [...volumes].filter((volume) => !used?.has(volume)).length;
  return added > 0 && (used?.size ?? 0) + added > limit;
}

function note(volumes: VolumesByDriver, driver: string, volume: string): void {
  const handles = volumes.get(driver);
  if (handles) handles.add(volume);
  else volumes.set(driver, new Set([volume]));
}

/**
 * The CSI volumes of a pod, by driver. An unbound claim counts for its provisioner. Inline volumes (`csi`) are not
 * attached, so no limit applies to them.
 */
function volumesOf(pod: Pod, listers: VolumeListers, into: VolumesByDriver = new Map()): VolumesByDriver {
  const { namespace } = pod.metadata;
  for (const { name } of claimNames(pod)) {
    const claim = listers.claim(`${namespace}/${name}`);
    const csi = listers.volume(claim?.spec?.volumeName ?? '')?.spec?.csi;
    const provisioner = listers.storageClass(claim?.spec?.storageClassName ?? '')?.provisioner;
    if (csi) note(into, csi.driver, csi.volumeHandle);
    else if (claim && !claim.spec?.volumeName && provisioner) note(into, provisioner, `${namespace}/${name}`);
  }
  return into;
}

function attachedOn(node: NodeInfo, listers: VolumeListers): VolumesByDriver {
  const used: VolumesByDriver = new Map();
  for (const { pod } of node.pods.values()) volumesOf(pod, listers, used);
  for (const { spec } of listers.attachmentsOn(node.name)) {
    const csi = listers.volume(spec.source.persistentVolumeName ?? '')?.spec?.csi;
    if (csi) note(used, csi.driver, csi.volumeHandle);
  }
  return used;
}
