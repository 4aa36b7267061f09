import { type FieldError, type FieldPath, invalidField, isQualifiedName } from '@coracle/apimachinery';
import { checkValue } from './field-checks.js';

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'foregroundDeletion', 'orphan']);

/** Finalizers are qualified names; the few without a domain are the cluster's own. */
export function checkFinalizerName(path: FieldPath, name: string): FieldError[] {
  const errors = checkValue(path, name, isQualifiedName);
  if (!name.includes('/') && !standardFinalizers.has(name)) {
    errors.push(invalidField(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
  return errors;
}
