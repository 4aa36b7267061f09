import { type FieldError, FieldPath, isDns1123Subdomain, validateLabelSelector } from '@coracle/apimachinery';
import type { CSIStorageCapacity } from '../../generated/types/storage-v1.js';
import { checkImmutable, checkValue } from '../../validation/field-checks.js';
import { checkNonNegativeQuantity } from '../../validation/resource-quantity.js';

export function validateCsiStorageCapacity(capacity: CSIStorageCapacity): FieldError[] {
  return [
    ...validateLabelSelector(capacity.nodeTopology, FieldPath.of('nodeTopology')),
    ...checkValue(FieldPath.of('storageClassName'), capacity.storageClassName, isDns1123Subdomain),
    ...(capacity.capacity === undefined ? [] : checkNonNegativeQuantity(FieldPath.of('capacity'), capacity.capacity)),
  ];
}

export function validateCsiStorageCapacityUpdate(
  capacity: CSIStorageCapacity,
  previous: CSIStorageCapacity,
): FieldError[] {
  return [
    ...validateCsiStorageCapacity(capacity),
    ...(['nodeTopology', 'storageClassName'] as const).flatMap((field) =>
      checkImmutable(FieldPath.of(field), capacity[field], previous[field]),
    ),
  ];
}
