import { FieldPath } from '@coracle/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../../generated/types/core-v1.js';
import { nodeSelectorTermWarnings } from './node-selector.warnings.js';

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
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const path = FieldPath.of('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  return [
    ...warnings,
    ...terms.flatMap((term, index) => nodeSelectorTermWarnings(path.index(index), term, { checksValues: false })),
    ...deprecatedSources
      .filter(([field]) => volume.spec?.[field] !== undefined)
      .map(([, name, advice]) => `spec.${name}: ${advice}`),
  ];
}

/** Plugins that are deprecated or removed, with how messages call them. */
const deprecatedSources: readonly [keyof PersistentVolumeSpec, string, string][] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

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
