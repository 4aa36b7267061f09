import { type FieldError, FieldPath, forbiddenField, requiredField } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { VolumeAttributesClass } from '../../generated/types/storage-v1.js';
import { checkParameters, checkProvisioner } from './storage-class.validation.js';

export function validateVolumeAttributesClass({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  const path = FieldPath.of('parameters');
  const isEmpty = Object.keys(parameters).length === 0;
  return [
    ...checkProvisioner(FieldPath.of('driverName'), driverName),
    ...(isEmpty
      ? [requiredField(path, 'must contain at least one key/value pair')]
      : checkParameters(path, parameters)),
  ];
}

export function validateVolumeAttributesClassUpdate(
  attributes: VolumeAttributesClass,
  previous: VolumeAttributesClass,
): FieldError[] {
  const changed = (['driverName', 'parameters'] as const).filter(
    (field) => !deepEqual(attributes[field], previous[field]),
  );
  return [
    ...changed.map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
    ...validateVolumeAttributesClass(attributes),
  ];
}
