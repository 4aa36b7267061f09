import { type FieldError, FieldPath } from '@coracle/apimachinery';
import type { Scale } from '../../generated/types/autoscaling-v1.js';
import { checkNonNegative } from '../../validation/field-checks.js';

export function validateScale({ spec }: Scale): FieldError[] {
  return checkNonNegative(FieldPath.of('spec', 'replicas'), spec?.replicas);
}
