import {
  expired,
  type GroupResource,
  internalError,
  reasonOf,
  requestEntityTooLarge,
  type StatusError,
  serverTimeout,
  serviceUnavailable,
} from '@coracle/apimachinery';
import { StoreError } from '@coracle/store';

/** Whether a write that failed may have been executed, or may still be. */
export function isWrittenMaybe(error: unknown): boolean {
  return StoreError.is(error, 'Unavailable') || reasonOf(error) === 'ServerTimeout';
}

type Operation = 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete';

/** The error for a client when the store fails; any other error is returned unchanged. */
export function storeFailure(error: unknown, resource: GroupResource, operation: Operation): unknown {
  if (!StoreError.is(error)) return error;
  return toStatus(error, resource, operation);
}

function toStatus(error: StoreError, resource: GroupResource, operation: Operation): StatusError {
  switch (error.code) {
    case 'Compacted':
      return expired('The resourceVersion for the provided list is too old.');
    case 'Unavailable':
    case 'FutureRevision':
      return serverTimeout(resource, operation, 1);
    case 'TooLarge':
      return requestEntityTooLarge('etcdserver: request is too large');
    case 'Closed':
      return serviceUnavailable('the server is shutting down');
    case 'NoSpace':
    case 'LeaseNotFound':
    case 'Corrupt':
      return internalError(error);
  }
}
