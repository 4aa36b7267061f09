import type { Namespace } from '@coracle/api';
import { StatusError } from '@coracle/apimachinery';

export function isActive({ metadata, status }: Namespace): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Terminating';
}

/** Whether a create was rejected because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    StatusError.is(error) &&
    (error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  );
}
