import type { Node, PersistentVolume } from '@coracle/api';
import { stateKey } from '../../framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../../framework/verdict.js';
import { claimNames } from './pod-claims.js';
import { changesOf } from './volume-changes.js';
import type { VolumeListers } from './volume-listers.js';

const conflict = unschedulableAndUnresolvable('node(s) had no available volume zone');
/** Current and deprecated labels, each with the other. */
const topologyLabels: Readonly<Record<string, string>> = {
  'topology.kubernetes.io/zone': 'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const volumesKey = stateKey<readonly PersistentVolume[]>('VolumeZone/volumes');

/** Filters nodes by the zone labels of the pod's volumes. */
export function volumeZone(listers: VolumeListers): PreFilterPlugin & FilterPlugin {
  return {
    name: 'VolumeZone',
    wakesOn: changesOf('persistentvolumeclaims', 'persistentvolumes', 'storageclasses'),
    preFilter(state, { pod }) {
      const volumes = claimNames(pod).flatMap(({ name }) => {
        const claim = listers.claim(`${pod.metadata.namespace}/${name}`);
        const volume = listers.volume(claim?.spec?.volumeName ?? '');
        return volume && Object.keys(topologyLabels).some((key) => volume.metadata.labels?.[key]) ? [volume] : [];
      });
      if (volumes.length === 0) return { kind: 'skip' };
      state.write(volumesKey, volumes);
      return { kind: 'ready' };
    },
    filter: (state, _pod, { node }) =>
      (state.read(volumesKey) ?? []).every((volume) => isInZone(volume, node)) ? fits : conflict,
  };
}

function isInZone({ metadata }: PersistentVolume, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  return Object.entries(topologyLabels).every(([key, otherKey]) => {
    const zones = metadata.labels?.[key];
    // A volume in several zones lists them: `us-1a__us-1b`.
    return zones === undefined || zones.split('__').includes(labels[key] ?? labels[otherKey] ?? '');
  });
}
