import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.js';

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};

export function persistentVolumeWarnings(volume: PersistentVolume): string[] {
  const warnings = annotationWarnings(volume, Object.keys(deprecatedAnnotations));
  if (volume.spec?.persistentVolumeReclaimPolicy === 'Recycle') {
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  return warnings;
}

export function persistentVolumeClaimWarnings(claim: PersistentVolumeClaim): string[] {
  return annotationWarnings(claim, ['volume.beta.kubernetes.io/storage-class']);
}

function annotationWarnings(
  { metadata }: PersistentVolume | PersistentVolumeClaim,
  names: readonly string[],
): string[] {
  return names
    .filter((name) => metadata.annotations?.[name] !== undefined)
    .map((name) => `metadata.annotations[${name}]: ${deprecatedAnnotations[name]}`);
}
