import { formatAccessModes, unset } from '../../columns/cell-text.js';
import { age, type Column, name, tablePrinter, text, wide } from '../../columns/table-printer.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.js';

type Volume = PersistentVolume | PersistentVolumeClaim;

const status: Column<Volume> = text('Status', 'The phase, or that it is being deleted.', ({ metadata, status }) =>
  metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
);

/** The annotation came before the field and still takes precedence. */
const storageClass: Column<Volume> = text(
  'StorageClass',
  'The storage class.',
  ({ metadata, spec }) =>
    metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '',
);

const volumeAttributesClass: Column<Volume> = text(
  'VolumeAttributesClass',
  'The class of the attributes of the volume.',
  ({ spec }) => spec?.volumeAttributesClassName ?? unset,
);

const volumeMode: Column<Volume> = wide(
  text('VolumeMode', 'Whether it is a file system or a block device.', ({ spec }) => spec?.volumeMode ?? unset),
);

export const persistentVolumePrinter = tablePrinter<PersistentVolume>([
  name,
  text('Capacity', 'The size.', ({ spec }) => String(spec?.capacity?.['storage'] ?? '0')),
  text('Access Modes', 'How the volume can be mounted.', ({ spec }) => formatAccessModes(spec?.accessModes)),
  text(
    'Reclaim Policy',
    'What becomes of it when its claim goes.',
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  ),
  status,
  text('Claim', 'The claim that has it.', ({ spec }) =>
    spec?.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '',
  ),
  storageClass,
  volumeAttributesClass,
  text('Reason', 'Why it failed.', (volume) => volume.status?.reason ?? ''),
  age,
  volumeMode,
]);

/** Size and access modes are those of the volume, once the claim is bound. */
export const persistentVolumeClaimPrinter = tablePrinter<PersistentVolumeClaim>([
  name,
  status,
  text('Volume', 'The volume that the claim has.', ({ spec }) => spec?.volumeName ?? ''),
  text('Capacity', 'The size of the volume.', (claim) =>
    claim.spec?.volumeName ? String(claim.status?.capacity?.['storage'] ?? '0') : '',
  ),
  text('Access Modes', 'How the volume can be mounted.', (claim) =>
    claim.spec?.volumeName ? formatAccessModes(claim.status?.accessModes) : '',
  ),
  storageClass,
  volumeAttributesClass,
  age,
  volumeMode,
]);
