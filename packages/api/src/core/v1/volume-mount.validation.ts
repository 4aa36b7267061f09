import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  notFoundField,
  requiredField,
} from '@coracle/apimachinery';
import type { Container, Volume, VolumeDevice, VolumeMount } from '../../generated/types/core-v1.js';
import { checkItems, checkSupported, concat } from '../../validation/field-checks.js';
import { validateDescendingPath } from './volume-path.validation.js';

export type VolumesByName = ReadonlyMap<string, Volume>;

export function validateVolumeMounts(path: FieldPath, container: Container, volumes: VolumesByName): FieldError[] {
  const mountPaths = new Set<string>();
  return checkItems(path, container.volumeMounts, (itemPath, mount) => {
    const { name = '', mountPath = '' } = mount;
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(itemPath.child('name')));
    if (!volumes.has(name)) errors.push(notFoundField(itemPath.child('name'), name));
    if (mountPath === '') errors.push(requiredField(itemPath.child('mountPath')));
    if (mountPaths.has(mountPath)) errors.push(invalidField(itemPath.child('mountPath'), mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    return concat(
      errors,
      validateNoSuchDevice(itemPath, mount, container.volumeDevices ?? []),
      validateSubPaths(path, itemPath, mount),
      validatePropagation(path, mount, container),
      validateRecursiveReadOnly(path, mount),
    );
  });
}

function validateNoSuchDevice(path: FieldPath, mount: VolumeMount, devices: readonly VolumeDevice[]): FieldError[] {
  const { name = '', mountPath = '' } = mount;
  const errors: FieldError[] = [];
  if (devices.length === 0) return errors;
  if (devices.some((device) => device.name === name)) {
    errors.push(invalidField(path.child('name'), name, 'must not already exist in volumeDevices'));
  }
  if (devices.some((device) => device.devicePath === mountPath)) {
    errors.push(invalidField(path.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
  }
  return errors;
}

/** Field errors on the sub-paths themselves name the list, not the item, as upstream does. */
function validateSubPaths(
  listPath: FieldPath,
  itemPath: FieldPath,
  { subPath, subPathExpr }: VolumeMount,
): FieldError[] {
  const errors = subPath ? validateDescendingPath(listPath.child('subPath'), subPath) : [];
  if (!subPathExpr) return errors;
  if (subPath) {
    const problem = 'subPathExpr and subPath are mutually exclusive';
    errors.push(invalidField(itemPath.child('subPathExpr'), subPathExpr, problem));
  }
  return concat(errors, validateDescendingPath(listPath.child('subPathExpr'), subPathExpr));
}

function validatePropagation(
  listPath: FieldPath,
  { mountPropagation }: VolumeMount,
  container: Container,
): FieldError[] {
  if (mountPropagation === undefined) return [];
  const path = listPath.child('mountPropagation');
  const errors = checkSupported(path, mountPropagation, ['Bidirectional', 'HostToContainer', 'None']);
  if (mountPropagation !== 'Bidirectional' || container.securityContext?.privileged) return errors;
  const problem = 'Bidirectional mount propagation is available only to privileged containers';
  return concat(errors, [forbiddenField(path, problem)]);
}

function validateRecursiveReadOnly(listPath: FieldPath, mount: VolumeMount): FieldError[] {
  const { recursiveReadOnly, readOnly, mountPropagation } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return [];
  const path = listPath.child('recursiveReadOnly');
  if (recursiveReadOnly !== 'Enabled' && recursiveReadOnly !== 'IfPossible') {
    return checkSupported(path, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible']);
  }
  const errors = readOnly ? [] : [forbiddenField(path, 'may only be specified when readOnly is true')];
  if (mountPropagation === undefined || mountPropagation === 'None') return errors;
  return concat(errors, [forbiddenField(path, 'may only be specified when mountPropagation is None or not specified')]);
}

export function validateVolumeDevices(path: FieldPath, container: Container, volumes: VolumesByName): FieldError[] {
  if (container.volumeDevices === undefined) return [];
  const names = new Set<string>();
  const paths = new Set<string>();
  return container.volumeDevices.flatMap((device, index) => {
    const errors = validateVolumeDevice(path.index(index), device, { names, paths, volumes });
    return concat(errors, validateNoSuchMount(path.index(index), device, container.volumeMounts ?? []));
  });
}

interface SeenDevices {
  readonly names: Set<string>;
  readonly paths: Set<string>;
  readonly volumes: VolumesByName;
}

function validateVolumeDevice(
  path: FieldPath,
  device: VolumeDevice,
  { names, paths, volumes }: SeenDevices,
): FieldError[] {
  const { name = '', devicePath = '' } = device;
  const volume = volumes.get(name);
  const errors: FieldError[] = [];
  if (name === '') errors.push(requiredField(path.child('name')));
  if (names.has(name)) errors.push(invalidField(path.child('name'), name, 'must be unique'));
  if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
    const problem = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
    errors.push(invalidField(path.child('name'), name, problem));
  }
  if (!volume) errors.push(notFoundField(path.child('name'), name));
  if (devicePath === '') errors.push(requiredField(path.child('devicePath')));
  if (paths.has(devicePath)) errors.push(invalidField(path.child('devicePath'), devicePath, 'must be unique'));
  if (devicePath.split('/').includes('..')) {
    errors.push(invalidField(path.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
  } else paths.add(devicePath);
  if (name !== '') names.add(name);
  return errors;
}

function validateNoSuchMount(path: FieldPath, device: VolumeDevice, mounts: readonly VolumeMount[]): FieldError[] {
  const { name = '', devicePath = '' } = device;
  const errors: FieldError[] = [];
  if (mounts.some((mount) => mount.name === name)) {
    errors.push(invalidField(path.child('name'), name, 'must not already exist in volumeMounts'));
  }
  if (mounts.some((mount) => mount.mountPath === devicePath)) {
    errors.push(invalidField(path.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'));
  }
  return errors;
}
