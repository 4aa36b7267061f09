import type { Pod } from '@coracle/api';
import type { NodeInfo } from '../../cache/node-info.js';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/plugin.js';
import { fits, unschedulable } from '../../framework/verdict.js';
import { claimNames } from './pod-claims.js';
import type { VolumeListers } from './volume-listers.js';

const exceeded = unschedulable('node(s) exceed max volume count');

/** Keeps the volumes of a CSI driver on a node to the number that the driver says it can attach there. */
export function nodeVolumeLimits(listers: VolumeListers): PreFilterPlugin & FilterPlugin {
  return {
    name: 'NodeVolumeLimits',
    wakesOn: [
      { event: 'pod-deleted' },
      { event: 'node-added' },
      {
        event: 'other',
        helps: (event) =>
          event.kind === 'other' &&
          (event.resource === 'csinodes' ||
            event.resource === 'volumeattachments' ||
            event.resource === 'persistentvolumeclaims'),
      },
    ],
    preFilter: (_state, { pod }) =>
      claimNames(pod).length === 0 && !hasInline(pod) ? { kind: 'skip' } : { kind: 'ready' },
    filter(_state, { pod }, node) {
      const drivers = listers.csiNode(node.name)?.spec.drivers ?? [];
      const limits = new Map(
        drivers.flatMap(({ name, allocatable }) =>
          allocatable?.count === undefined ? [] : [[name, allocatable.count]],
        ),
      );
      if (limits.size === 0) return fits;
      const wanted = volumesOf(pod, listers);
      if (wanted.size === 0) return fits;
      const used = attachedOn(node, listers);
      const isFull = [...limits].some(([driver, limit]) => {
        const added = [...(wanted.get(driver) ?? [])].filter((volume) => !used.get(driver)?.has(volume)).length;
        return added > 0 && (used.get(driver)?.size ?? 0) + added > limit;
      });
      return isFull ? exceeded : fits;
    },
  };
}

function hasInline({ spec }: Pod): boolean {
  return (spec?.volumes ?? []).some(({ csi }) => csi !== undefined);
}

type VolumesByDriver = Map<string, Set<string>>;

function note(volumes: VolumesByDriver, driver: string, volume: string): void {
  const known = volumes.get(driver);
  if (known) known.add(volume);
  else volumes.set(driver, new Set([volume]));
}

/** The CSI volumes of a pod, by driver. A claim that has none yet counts for the driver that will make it. */
function volumesOf(pod: Pod, listers: VolumeListers, into: VolumesByDriver = new Map()): VolumesByDriver {
  const { namespace, name: podName } = pod.metadata;
  for (const { name, csi } of pod.spec?.volumes ?? [])
    if (csi) note(into, csi.driver, `${namespace}/${podName}/${name}`);
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
  for (const { spec } of listers.attachments()) {
    const csi =
      spec.nodeName === node.name ? listers.volume(spec.source.persistentVolumeName ?? '')?.spec?.csi : undefined;
    if (csi) note(used, csi.driver, csi.volumeHandle);
  }
  return used;
}
