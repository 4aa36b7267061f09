import { StoreError, type StoreErrorCode } from '@coracle/store';
import { type ServiceError, status } from '@grpc/grpc-js';

/** etcd's error messages, and their meaning for a store. The messages are part of its API: clients match on them. */
const refusals: readonly (readonly [string, StoreErrorCode])[] = [
  ['required revision has been compacted', 'Compacted'],
  ['required revision is a future revision', 'FutureRevision'],
  ['requested lease not found', 'LeaseNotFound'],
  ['request is too large', 'TooLarge'],
  ['too many operations in txn request', 'TooLarge'],
  // The message of gRPC for a request that is far beyond the limit.
  ['received message larger than max', 'TooLarge'],
  // Until its history is compacted and defragmented, or its quota raised, and the alarm is disarmed.
  ['database space exceeded', 'NoSpace'],
];

/** Errors that prove that a request was not executed. After any other failure that is unknown. */
const notCarriedOut = ['no leader', 'too many requests', 'No connection established', 'not capable', 'ECONNREFUSED'];

/** Codes after which a retry may succeed, on another member or later. */
const retriable: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.CANCELLED,
  status.UNKNOWN,
  status.INTERNAL,
]);

export function refusalOf({ details = '' }: ServiceError): StoreError | undefined {
  const found = refusals.find(([text]) => details.includes(text));
  return found && new StoreError(found[1], details);
}

export function isRetriable(error: ServiceError): boolean {
  return retriable.has(error.code);
}

export function wasCarriedOutMaybe({ details = '' }: ServiceError): boolean {
  return !notCarriedOut.some((text) => details.includes(text));
}

export function unavailable(error: ServiceError, endpoints: readonly string[]): StoreError {
  return new StoreError(
    'Unavailable',
    `etcd at ${endpoints.join(', ')} does not answer: ${reasonIn(error.details || error.message)}`,
    {
      cause: error,
    },
  );
}

/** gRPC wraps the reason of a connection failure in its own message. */
function reasonIn(details: string): string {
  return /Last error: (?:Error: )?(.*?)\.? (?:Resolution note:.*)?$/s.exec(details)?.[1] ?? details;
}

/** Whether a failure leaves open if the call was executed. */
export function isDoubtful(error: unknown): boolean {
  return StoreError.is(error, 'Unavailable') && wasCarriedOutMaybe(error.cause as ServiceError);
}
