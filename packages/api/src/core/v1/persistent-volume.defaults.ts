import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../../generated/types/core-v1.js';
import { setResourceListDefaults } from './resource-list.defaults.js';
import { setPersistentVolumeClaimSpecDefaults, setSharedSourceDefaults } from './volume.defaults.js';

export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  volume.status ??= {};
  volume.status.phase ||= 'Pending';
  volume.spec ??= {};
  setPersistentVolumeSpecDefaults(volume.spec);
}

export function setPersistentVolumeSpecDefaults(spec: PersistentVolumeSpec): void {
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  setResourceListDefaults(spec.capacity);
  setSharedSourceDefaults(spec);
}

export function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.status ??= {};
  claim.status.phase ||= 'Pending';
  claim.spec ??= {};
  setPersistentVolumeClaimSpecDefaults(claim.spec);
}
