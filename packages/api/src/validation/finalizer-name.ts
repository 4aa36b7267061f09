import { type FieldError, type FieldPath, finalizerDomainProblems, isQualifiedName } from '@coracle/apimachinery';
import { checkValue, concat } from './field-checks.js';

/** Finalizers are qualified names; the few without a domain are the cluster's own. */
export function checkFinalizerName(path: FieldPath, name: string): FieldError[] {
  return concat(checkValue(path, name, isQualifiedName), checkValue(path, name, finalizerDomainProblems));
}
