import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../../generated/types/core-v1.js';
import { setResourceListDefaults } from './resource-list.defaults.js';
import { setPersistentVolumeClaimSpecDefaults } from './volume.defaults.js';

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
  setSourceDefaults(spec);
}

export function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.status ??= {};
  claim.status.phase ||= 'Pending';
  claim.spec ??= {};
  setPersistentVolumeClaimSpecDefaults(claim.spec);
}

function setSourceDefaults({ hostPath, iscsi, rbd, azureDisk, scaleIO }: PersistentVolumeSpec): void {
  if (hostPath) hostPath.type ??= '';
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}
