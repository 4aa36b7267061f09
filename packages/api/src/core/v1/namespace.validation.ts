import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import type { Namespace } from '../../generated/types/core-v1.js';
import { checkFinalizerName } from '../../validation/finalizer-name.js';

export function validateNamespace(namespace: Namespace): FieldError[] {
  const finalizers = namespace.spec?.finalizers ?? [];
  return finalizers.flatMap((name) => checkFinalizerName(FieldPath.of('spec', 'finalizers'), name));
}

/** The finalize subresource changes only `spec.finalizers`. */
export function validateNamespaceFinalize(namespace: Namespace): FieldError[] {
  const path = FieldPath.of('spec', 'finalizers');
  return (namespace.spec?.finalizers ?? []).flatMap((name, index) => checkFinalizerName(path.index(index), name));
}

/** The phase follows the deletion timestamp; it is not for clients to choose. */
export function validateNamespaceStatusUpdate(namespace: Namespace): FieldError[] {
  const deleting = namespace.metadata.deletionTimestamp !== undefined;
  const expected = deleting ? 'Terminating' : 'Active';
  const phase = namespace.status?.phase ?? '';
  if (phase === expected) return [];
  const state = deleting ? 'not empty' : 'empty';
  return [invalidField('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` is ${state}`)];
}
