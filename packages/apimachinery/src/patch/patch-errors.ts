import { failure, StatusError } from '../status-error.js';

/**
 * A well-formed patch that cannot be applied: 422. Clients see upstream's fixed message; the specific failure is the
 * error's cause.
 */
export function patchRejected(why: string): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return failure('Invalid', message, {}, { cause: new Error(why) });
}

/** A failure that upstream returns unchanged: 500, with a message and no reason. */
export function unexplainedFailure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
