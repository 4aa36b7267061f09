import type { AdmissionOperation, WriteKind } from '../admission.js';

/** Whether a write is one of these operations on a pod itself, not on a subresource. */
export function aboutPods(
  { operation, resource, subresource }: WriteKind,
  ...operations: AdmissionOperation[]
): boolean {
  return resource.resource === 'pods' && resource.group === '' && subresource === '' && operations.includes(operation);
}
