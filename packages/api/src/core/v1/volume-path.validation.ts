import { type FieldError, type FieldPath, invalidField } from '@coracle/apimachinery';

/** No element of the path may step out of where it starts. */
export function validateNoBacksteps(path: FieldPath, target: string): FieldError[] {
  return target.split('/').includes('..') ? [invalidField(path, target, "must not contain '..'")] : [];
}

/** A relative path that stays below where it starts. */
export function validateDescendingPath(path: FieldPath, target: string): FieldError[] {
  const errors = target.startsWith('/') ? [invalidField(path, target, 'must be a relative path')] : [];
  return [...errors, ...validateNoBacksteps(path, target)];
}

/** A descending path whose first element does not begin with `..`, which volumes keep for themselves. */
export function validateLocalPath(path: FieldPath, target: string): FieldError[] {
  const errors = validateDescendingPath(path, target);
  const reserved = target.startsWith('..') && !target.startsWith('../');
  return reserved ? [...errors, invalidField(path, target, "must not start with '..'")] : errors;
}
