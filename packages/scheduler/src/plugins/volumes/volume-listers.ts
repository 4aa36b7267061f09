import { type PersistentVolume, type PersistentVolumeClaim, refs, type storagev1 } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { InformerFactory } from '@coracle/client';

/** What the volume plugins look up. */
export interface VolumeListers {
  claim(key: ObjectKey): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): readonly PersistentVolume[];
  storageClass(name: string): storagev1.StorageClass | undefined;
  csiNode(name: string): storagev1.CSINode | undefined;
  csiDriver(name: string): storagev1.CSIDriver | undefined;
  capacities(): readonly storagev1.CSIStorageCapacity[];
  /** The names of the volume attachments' volumes on a node, by CSI driver. */
  attachments(): readonly storagev1.VolumeAttachment[];
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

export function volumeListers(informers: InformerFactory): VolumeListers {
  const claims = informers.for(refs.persistentVolumeClaims);
  const volumes = informers.for(refs.persistentVolumes);
  const classes = informers.for(refs.storageClasses);
  const csiNodes = informers.for(refs.csiNodes);
  const csiDrivers = informers.for(refs.csiDrivers);
  const capacities = informers.for(refs.csiStorageCapacities);
  const attachments = informers.for(refs.volumeAttachments);
  return {
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    volumes: () => volumes.list(),
    storageClass: (name) => classes.get(name),
    csiNode: (name) => csiNodes.get(name),
    csiDriver: (name) => csiDrivers.get(name),
    capacities: () => capacities.list(),
    attachments: () => attachments.list(),
  };
}
