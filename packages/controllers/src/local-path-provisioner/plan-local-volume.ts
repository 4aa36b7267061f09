import type { PersistentVolume, PersistentVolumeClaim, storagev1 } from '@coracle/api';
import { provisionedBy, selectedNode } from '../persistent-volume-binder/annotations.js';

export const provisionerName = 'coracle.dev/local-path';

export type LocalVolumePlan =
  | { readonly kind: 'create'; readonly volume: PersistentVolume }
  /** The scheduler has not chosen a node yet. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'refuse'; readonly message: string };

/** The volume for a claim: a directory on the node of its first consumer. Pure. */
export function planLocalVolume(
  claim: PersistentVolumeClaim,
  storageClass: storagev1.StorageClass,
  directory: string,
): LocalVolumePlan {
  const { spec = {}, metadata } = claim;
  const { accessModes = [], volumeMode = 'Filesystem' } = spec;
  const foreign = accessModes.find((mode) => mode !== 'ReadWriteOnce' && mode !== 'ReadWriteOncePod');
  if (foreign) return { kind: 'refuse', message: `a directory of one node cannot be ${foreign}` };
  if (volumeMode !== 'Filesystem') return { kind: 'refuse', message: `a directory cannot be a ${volumeMode} volume` };
  if (spec.selector) return { kind: 'refuse', message: 'claim.spec.selector is not supported' };
  const node = metadata.annotations?.[selectedNode];
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer')
    return { kind: 'refuse', message: 'the storage class needs volumeBindingMode WaitForFirstConsumer' };
  return node ? { kind: 'create', volume: makeVolume(claim, storageClass, { node, directory }) } : { kind: 'wait' };
}

function makeVolume(
  { metadata, spec = {} }: PersistentVolumeClaim,
  storageClass: storagev1.StorageClass,
  { node, directory }: { readonly node: string; readonly directory: string },
): PersistentVolume {
  const { name, namespace, uid } = metadata;
  const volumeName = `pvc-${uid}`;
  const hostname = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeName, annotations: { [provisionedBy]: provisionerName } },
    spec: {
      capacity: { storage: spec.resources?.requests?.['storage'] ?? '0' },
      accessModes: spec.accessModes ?? [],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      volumeMode: 'Filesystem',
      hostPath: { path: `${directory}/${volumeName}_${namespace}_${name}`, type: 'DirectoryOrCreate' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...withoutUndefined({ name, namespace, uid }) },
    },
  };
}

function withoutUndefined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** Whether the data of a volume has to be removed, and then the volume. */
export function isDisposable({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    metadata.annotations?.[provisionedBy] === provisionerName &&
    spec?.persistentVolumeReclaimPolicy === 'Delete' &&
    status?.phase === 'Released'
  );
}
