import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import type {
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  StorageOSVolumeSource,
} from '../../generated/types/core-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkRequiredValue, checkSupported, checkValue } from '../../validation/field-checks.js';

/** Disks, file systems and services outside the node. Persistent volumes have most of the same sources. */

export function requireFields<T extends object>(
  path: FieldPath,
  source: T | undefined,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  return fields.filter((field) => !source?.[field]).map((field) => requiredField(path.child(field)));
}

function requireItems(path: FieldPath, items: readonly unknown[] | undefined): FieldError[] {
  return items?.length ? [] : [requiredField(path)];
}

function validatePartition(path: FieldPath, partition = 0): FieldError[] {
  if (partition >= 0 && partition <= 255) return [];
  return [invalidField(path.child('partition'), partition, 'must be between 1 and 255, inclusive')];
}

export function validateGcePersistentDisk(
  path: FieldPath,
  disk: GCEPersistentDiskVolumeSource | undefined,
): FieldError[] {
  return [...requireFields(path, disk, ['pdName']), ...validatePartition(path, disk?.partition)];
}

export function validateAwsBlockStore(
  path: FieldPath,
  disk: { volumeID?: string; partition?: number } | undefined,
): FieldError[] {
  return [...requireFields(path, disk, ['volumeID']), ...validatePartition(path, disk?.partition)];
}

export function validateNfs(path: FieldPath, nfs: NFSVolumeSource | undefined): FieldError[] {
  const errors = requireFields(path, nfs, ['server', 'path']);
  const directory = nfs?.path ?? '';
  if (directory.startsWith('/')) return errors;
  return [...errors, invalidField(path.child('path'), directory, 'must be an absolute path')];
}

const qualifiedNamePatterns: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([0-9A-Za-z.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[0-9A-Za-z]{16}$/,
  naa: /^naa.[0-9A-Za-z]{32}$/,
};

/** iSCSI names begin with how they are made: `iqn.2001-04.com.example:storage`. */
function iscsiNameProblems(name: string): string[] {
  if (!qualifiedNamePatterns[name.slice(0, 3)]) return ['must be valid format starting with iqn, eui, or naa'];
  return iscsiVolumeNameProblems(name);
}

/** The same for persistent volumes, which have fewer rules. */
export function iscsiVolumeNameProblems(name: string): string[] {
  return qualifiedNamePatterns[name.slice(0, 3)]?.test(name) ? [] : ['must be valid format'];
}

export const iscsiNameTooLong =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

export function validateIscsi(path: FieldPath, iscsi: ISCSIVolumeSource | undefined): FieldError[] {
  const { iqn, lun = 0, initiatorName, secretRef, chapAuthDiscovery, chapAuthSession } = iscsi ?? {};
  const errors = [
    ...requireFields(path, iscsi, ['targetPortal']),
    ...checkRequiredValue(path.child('iqn'), iqn, iscsiNameProblems),
  ];
  errors.push(...validateLun(path, lun));
  if ((chapAuthDiscovery || chapAuthSession) && !secretRef) errors.push(requiredField(path.child('secretRef')));
  if (initiatorName === undefined) return errors;
  return [...errors, ...checkValue(path.child('initiatorname'), initiatorName, iscsiNameProblems)];
}

export function validateLun(path: FieldPath, lun: number): FieldError[] {
  return lun >= 0 && lun <= 255 ? [] : [invalidField(path.child('lun'), lun, 'must be between 0 and 255, inclusive')];
}

export function validateGlusterfs(path: FieldPath, source: GlusterfsVolumeSource | undefined): FieldError[] {
  return requireFields(path, source, ['endpoints', 'path']);
}

export function validateFlocker(path: FieldPath, source: FlockerVolumeSource | undefined): FieldError[] {
  const { datasetName, datasetUUID } = source ?? {};
  const errors: FieldError[] = [];
  if (!datasetName && !datasetUUID) errors.push(requiredField(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID) {
    errors.push(invalidField(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (!datasetName?.includes('/')) return errors;
  return [...errors, invalidField(path.child('datasetName'), datasetName, "must not contain '/'")];
}

export function validateRbd(
  path: FieldPath,
  rbd: Pick<RBDVolumeSource, 'monitors' | 'image'> | undefined,
): FieldError[] {
  return [...requireItems(path.child('monitors'), rbd?.monitors), ...requireFields(path, rbd, ['image'])];
}

export function validateCinder(path: FieldPath, cinder: CinderVolumeSource | undefined): FieldError[] {
  return [...requireFields(path, cinder, ['volumeID']), ...validateSecretName(path, cinder?.secretRef)];
}

function validateSecretName(path: FieldPath, secretRef: { name?: string } | undefined): FieldError[] {
  return secretRef && !secretRef.name ? [requiredField(path.child('secretRef', 'name'))] : [];
}

export function validateCephFs(
  path: FieldPath,
  cephfs: Pick<CephFSVolumeSource, 'monitors'> | undefined,
): FieldError[] {
  return requireItems(path.child('monitors'), cephfs?.monitors);
}

const registryForm = 'must be a host:port pair or multiple pairs separated by commas';

export function validateQuobyte(path: FieldPath, source: QuobyteVolumeSource | undefined): FieldError[] {
  const { registry = '', tenant = '' } = source ?? {};
  const errors: FieldError[] = [];
  if (registry === '') errors.push(requiredField(path.child('registry'), registryForm));
  else if (tenant.length >= 65) {
    errors.push(requiredField(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    const wrong = registry.split(',').filter((pair) => !/^(\[[^\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair));
    errors.push(...wrong.map(() => invalidField(path.child('registry'), registry, registryForm)));
  }
  return [...errors, ...requireFields(path, source, ['volume'])];
}

export function validateFc(path: FieldPath, fc: FCVolumeSource | undefined): FieldError[] {
  const { targetWWNs = [], wwids = [], lun } = fc ?? {};
  const namesPath = path.child('targetWWNs');
  if (targetWWNs.length === 0) {
    return wwids.length > 0 ? [] : [requiredField(namesPath, 'must specify either targetWWNs or wwids, but not both')];
  }
  const errors: FieldError[] = [];
  if (wwids.length > 0) {
    errors.push(invalidField(namesPath, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (lun === undefined)
    return [...errors, requiredField(path.child('lun'), 'lun is required if targetWWNs is specified')];
  return [...errors, ...validateLun(path, lun)];
}

export function validateFlexVolume(
  path: FieldPath,
  flex: Pick<FlexVolumeSource, 'driver' | 'options'> | undefined,
): FieldError[] {
  const reserved = Object.keys(flex?.options ?? {})
    .sort()
    .filter((key) =>
      /\.(kubernetes|k8s)\.io$/.test(`.${(key.split('/', 2).length === 2 ? key.split('/')[0] : key)?.toLowerCase()}`),
    );
  return [
    ...requireFields(path, flex, ['driver']),
    ...reserved.map((key) =>
      invalidField(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'),
    ),
  ];
}

export function validateAzureFile(path: FieldPath, source: AzureFileVolumeSource | undefined): FieldError[] {
  return requireFields(path, source, ['secretName', 'shareName']);
}

const managedDiskUri =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDiskUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(path: FieldPath, disk: AzureDiskVolumeSource | undefined): FieldError[] {
  const { cachingMode, kind, diskURI = '' } = disk ?? {};
  const errors = requireFields(path, disk, ['diskName', 'diskURI']);
  if (cachingMode !== undefined) {
    errors.push(...checkSupported(path.child('cachingMode'), cachingMode, ['None', 'ReadOnly', 'ReadWrite']));
  }
  if (kind === undefined) return errors;
  errors.push(...checkSupported(path.child('kind'), kind, ['Dedicated', 'Managed', 'Shared']));
  const uriPath = path.child('diskURI');
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) {
    errors.push(notSupportedField(uriPath, diskURI, [managedDiskUri]));
  }
  if (kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.push(notSupportedField(uriPath, diskURI, [blobDiskUri]));
  return errors;
}

export function validateStorageOs(path: FieldPath, source: StorageOSVolumeSource | undefined): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = source ?? {};
  return [
    ...checkRequiredValue(path.child('volumeName'), volumeName, isDns1123Label),
    ...(volumeNamespace ? checkValue(path.child('volumeNamespace'), volumeNamespace, isDns1123Label) : []),
    ...validateSecretName(path, secretRef),
  ];
}

export function validateCsi(path: FieldPath, csi: CSIVolumeSource | undefined): FieldError[] {
  const errors = checkDriverName(path.child('driver'), csi?.driver);
  const secret = csi?.nodePublishSecretRef;
  if (!secret) return errors;
  if (!secret.name) return [...errors, requiredField(path.child('nodePublishSecretRef', 'name'))];
  return [...errors, ...checkValue(path.child('name'), secret.name, isDns1123Subdomain)];
}
