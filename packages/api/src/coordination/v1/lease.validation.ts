import { type FieldError, FieldPath } from '@coracle/apimachinery';
import type { Lease } from '../../generated/types/coordination-v1.js';
import { checkNonNegative, checkPositive } from '../../validation/field-checks.js';

export function validateLease({ spec = {} }: Lease): FieldError[] {
  return [
    ...checkPositive(FieldPath.of('spec', 'leaseDurationSeconds'), spec.leaseDurationSeconds),
    ...checkNonNegative(FieldPath.of('spec', 'leaseTransitions'), spec.leaseTransitions),
  ];
}
