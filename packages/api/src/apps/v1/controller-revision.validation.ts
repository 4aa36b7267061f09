import { type FieldError, FieldPath, requiredField } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { ControllerRevision } from '../../generated/types/apps-v1.js';
import { checkImmutable, checkNonNegative } from '../../validation/field-checks.js';

const dataPath = FieldPath.of('data');

export function validateControllerRevision({ data, revision }: ControllerRevision): FieldError[] {
  const errors: FieldError[] = [];
  if (data === undefined || data === null) errors.push(requiredField(dataPath, 'data is mandatory'));
  else if (!isRecord(data)) errors.push(requiredField(dataPath, 'data must be a valid JSON object'));
  return [...errors, ...checkNonNegative(FieldPath.of('revision'), revision)];
}

/** The data of a revision is immutable; only its number may change. */
export function validateControllerRevisionUpdate(
  revision: ControllerRevision,
  previous: ControllerRevision,
): FieldError[] {
  return [
    ...checkNonNegative(FieldPath.of('revision'), revision.revision),
    ...checkImmutable(dataPath, revision.data ?? null, previous.data ?? null),
  ];
}
