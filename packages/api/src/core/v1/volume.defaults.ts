import type {
  DownwardAPIVolumeFile,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Volume,
  VolumeProjection,
} from '../../generated/types/core-v1.js';
import { imagePullPolicyOf } from './image-reference.js';
import { setResourceListDefaults } from './resource-list.defaults.js';

/** 0644, the mode of files that Kubernetes itself writes into volumes. */
const defaultFileMode = 420;

/** A volume that names no source is an emptyDir; each source then gets its own defaults. */
export function setVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= defaultFileMode;
  if (volume.configMap) volume.configMap.defaultMode ??= defaultFileMode;
  if (volume.image) volume.image.pullPolicy ||= imagePullPolicyOf(volume.image.reference ?? '');
  if (volume.ephemeral?.volumeClaimTemplate) {
    setPersistentVolumeClaimSpecDefaults((volume.ephemeral.volumeClaimTemplate.spec ??= {}));
  }
  setDownwardApiDefaults(volume);
  setProjectedDefaults(volume);
  setSharedSourceDefaults(volume);
}

function setDownwardApiDefaults({ downwardAPI }: Volume): void {
  if (!downwardAPI) return;
  downwardAPI.defaultMode ??= defaultFileMode;
  for (const file of downwardAPI.items ?? []) setDownwardApiFileDefaults(file);
}

function setProjectedDefaults({ projected }: Volume): void {
  if (!projected) return;
  projected.defaultMode ??= defaultFileMode;
  for (const source of projected.sources ?? []) setProjectionDefaults(source);
}

function setProjectionDefaults({ downwardAPI, serviceAccountToken, podCertificate }: VolumeProjection): void {
  for (const file of downwardAPI?.items ?? []) setDownwardApiFileDefaults(file);
  if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
  if (podCertificate) podCertificate.maxExpirationSeconds ??= 86400;
}

function setDownwardApiFileDefaults({ fieldRef }: DownwardAPIVolumeFile): void {
  if (fieldRef) fieldRef.apiVersion ||= 'v1';
}

/** Sources that a pod's volume and a persistent volume may both have. */
export function setSharedSourceDefaults(volume: Volume | PersistentVolumeSpec): void {
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = volume;
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

export function setPersistentVolumeClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  setResourceListDefaults(spec.resources?.limits);
  setResourceListDefaults(spec.resources?.requests);
}
