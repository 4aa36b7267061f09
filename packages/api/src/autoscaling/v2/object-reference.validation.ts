import { type FieldError, type FieldPath, isPathSegmentName } from '@coracle/apimachinery';
import type { CrossVersionObjectReference } from '../../generated/types/autoscaling-v2.js';
import { checkRequiredValue } from '../../validation/field-checks.js';

/** Kind and name go into a path. */
export function validateObjectReference(
  path: FieldPath,
  reference: CrossVersionObjectReference | undefined,
): FieldError[] {
  return [
    ...checkRequiredValue(path.child('kind'), reference?.kind, isPathSegmentName),
    ...checkRequiredValue(path.child('name'), reference?.name, isPathSegmentName),
  ];
}
