import type { AdmissionOperation, WriteKind } from '../admission.js';

/** Whether a write is one of these operations on pods themselves, not on their subresources. */
export function aboutPods(
  { operation, resource, subresource }: WriteKind,
  ...operations: AdmissionOperation[]
): boolean {
  return resource.resource === 'pods' && resource.group === '' && subresource === '' && operations.includes(operation);
}
