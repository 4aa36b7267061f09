import { type FieldError, type FieldPath, isDns1123Subdomain, isPathSegmentName } from '@coracle/apimachinery';
import { checkRequiredValue, checkValue } from './field-checks.js';

/** A reference to an object of any kind, in the namespace of the one that refers or in none. */
export function checkTypedLocalReference(
  path: FieldPath,
  { apiGroup, kind, name }: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string },
): FieldError[] {
  return [
    ...(apiGroup == null ? [] : checkValue(path.child('apiGroup'), apiGroup, isDns1123Subdomain)),
    ...checkRequiredValue(path.child('kind'), kind, isPathSegmentName),
    ...checkRequiredValue(path.child('name'), name, isPathSegmentName),
  ];
}
