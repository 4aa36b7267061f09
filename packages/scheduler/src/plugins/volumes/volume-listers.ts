import {
  claimClass,
  type PersistentVolume,
  type PersistentVolumeClaim,
  refs,
  type storagev1,
  volumeClass,
} from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { InformerFactory } from '@coracle/client';

/** Lookups of the volume plugins. */
export interface VolumeListers {
  claim(key: ObjectKey): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** The volumes of the claim's class, and those that refer to the claim. */
  volumesFor(claim: PersistentVolumeClaim): readonly PersistentVolume[];
  storageClass(name: string): storagev1.StorageClass | undefined;
  csiNode(name: string): storagev1.CSINode | undefined;
  csiDriver(name: string): storagev1.CSIDriver | undefined;
  capacities(): readonly storagev1.CSIStorageCapacity[];
  attachmentsOn(node: string): readonly storagev1.VolumeAttachment[];
}

/** The resources whose changes may let a pod with volumes fit. */
export const volumeResources = [
  refs.persistentVolumeClaims,
  refs.persistentVolumes,
  refs.storageClasses,
  refs.csiNodes,
  refs.csiDrivers,
  refs.csiStorageCapacities,
  refs.volumeAttachments,
] as const;

const byClass = 'class';
const byClaim = 'claim';
const byNode = 'node';
const classNames = (volume: PersistentVolume) => [volumeClass(volume)];
const claimKeys = ({ spec }: PersistentVolume) =>
  spec?.claimRef ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : [];
const nodeNames = ({ spec }: storagev1.VolumeAttachment) => [spec.nodeName];

/** Objects that replace those of the same name, or are added. */
export interface VolumeOverlay {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly storagev1.StorageClass[];
}

export interface OverlaidListers extends VolumeListers {
  /** The function's result with these objects in the listers. It must not await. */
  during<T>(overlay: VolumeOverlay, run: () => T): T;
}

const shared = new WeakMap<InformerFactory, OverlaidListers>();

/** Shared by all users of the informers, so that an overlay applies to all plugins. */
export function volumeListers(informers: InformerFactory): OverlaidListers {
  const listers = shared.get(informers) ?? makeListers(informers);
  shared.set(informers, listers);
  return listers;
}

function makeListers(informers: InformerFactory): OverlaidListers {
  const claims = informers.for(refs.persistentVolumeClaims);
  const volumes = informers.for(refs.persistentVolumes);
  const classes = informers.for(refs.storageClasses);
  const csiNodes = informers.for(refs.csiNodes);
  const csiDrivers = informers.for(refs.csiDrivers);
  const capacities = informers.for(refs.csiStorageCapacities);
  const attachments = informers.for(refs.volumeAttachments);
  volumes.addIndex(byClass, classNames);
  volumes.addIndex(byClaim, claimKeys);
  attachments.addIndex(byNode, nodeNames);
  let overlay: VolumeOverlay = {};
  const ofClaim = (claim: PersistentVolumeClaim) => {
    const className = claimClass(claim) ?? '';
    const naming = volumes.byIndex(byClaim, keyOf(claim)).filter((one) => volumeClass(one) !== className);
    const ofClass = volumes.byIndex(byClass, className);
    return naming.length > 0 ? [...naming, ...ofClass] : ofClass;
  };
  return {
    claim: (key) => overlay.claims?.find((one) => keyOf(one) === key) ?? claims.get(key),
    volume: (name) => overlay.volumes?.find(({ metadata }) => metadata.name === name) ?? volumes.get(name),
    volumesFor: (claim) => (overlay.volumes ? [...overlay.volumes, ...ofClaim(claim)] : ofClaim(claim)),
    storageClass: (name) => overlay.classes?.find(({ metadata }) => metadata.name === name) ?? classes.get(name),
    csiNode: (name) => csiNodes.get(name),
    csiDriver: (name) => csiDrivers.get(name),
    capacities: () => capacities.list(),
    attachmentsOn: (node) => attachments.byIndex(byNode, node),
    during(objects, run) {
      overlay = objects;
      try {
        return run();
      } finally {
        overlay = {};
      }
    },
  };
}
