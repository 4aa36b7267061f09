import { type FieldError, type FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import type { HostPathVolumeSource } from '../../generated/types/core-v1.js';
import { checkSupported } from '../../validation/field-checks.js';

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

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** A path of the node, for pods and for persistent volumes alike. */
export function validateHostPath(path: FieldPath, source: HostPathVolumeSource | undefined): FieldError[] {
  if (!source?.path) return [requiredField(path.child('path'))];
  const errors = validateNoBacksteps(path.child('path'), source.path);
  return [...errors, ...checkSupported(path.child('type'), source.type ?? '', hostPathTypes)];
}
