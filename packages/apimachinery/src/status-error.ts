import { messageOf } from '@coracle/base';
import { type FieldError, formatFieldError } from './field-error.js';
import { type GroupResource, qualifiedResource } from './group-version.js';

/** Why a request failed. The keys of this table are the API's reasons, the values their HTTP codes. */
const codeByReason = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  StoreReadError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

/** The reasons that we send. A client must take any other string that a server sends, too. */
export type StatusReason = keyof typeof codeByReason;

/** The wire form of a failure: `metav1.Status`. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: StatusReason | (string & {});
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** For most reasons the resource ("pods"); for Invalid the kind ("Pod"). */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** A failure that a client may see. Everything else that is thrown is a bug and becomes a 500. */
export class StatusError extends Error {
  override readonly name: string = 'StatusError';
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options);
    this.status = status;
  }

  /** By name rather than `instanceof`, which fails when two copies of this package are loaded. */
  static is(error: unknown): error is StatusError {
    return error instanceof Error && error.name === 'StatusError';
  }
}

export function badRequest(message: string): StatusError {
  return failure('BadRequest', message);
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return failure('Unauthorized', message);
}

export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const subject =
    resource.resource === ''
      ? 'forbidden'
      : `${qualifiedResource(resource)} ${name === '' ? 'is' : `${JSON.stringify(name)} is`} forbidden`;
  return failure('Forbidden', `${subject}: ${why}`, about(resource, name));
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return failure('NotFound', `${naming(resource, name)} not found`, about(resource, name));
}

/** For a path that leads nowhere. */
export function pageNotFound(): StatusError {
  return failure('NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return failure('AlreadyExists', `${naming(resource, name)} already exists`, about(resource, name));
}

/** `generateName` led to names in use, again and again. */
export function generateNameConflict(resource: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message = `${naming(resource, name)} already exists, the server was not able to generate a unique name for the object`;
  return failure('AlreadyExists', message, { ...about(resource, name), retryAfterSeconds });
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  return failure(
    'Conflict',
    `Operation cannot be fulfilled on ${naming(resource, name)}: ${why}`,
    about(resource, name),
  );
}

/** A server-side apply that would take fields from other managers. */
export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return failure('Conflict', message, { causes });
}

export function gone(message: string): StatusError {
  return failure('Gone', message);
}

export function expired(message: string): StatusError {
  return failure('Expired', message);
}

export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const causes = errors.map(({ type, field, body }) => ({ reason: type, message: body, field }));
  const details = {
    ...(name && { name }),
    ...(kind.group && { group: kind.group }),
    ...(kind.kind && { kind: kind.kind }),
    causes,
  };
  return failure(
    'Invalid',
    `${qualifiedKind} ${JSON.stringify(name)} is invalid: ${aggregate(errors.map(formatFieldError))}`,
    details,
  );
}

export function methodNotAllowed(resource: GroupResource, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(qualifiedResource(resource))}`;
  return failure('MethodNotAllowed', message, about(resource, ''));
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return failure('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure('UnsupportedMediaType', message);
}

export function requestEntityTooLarge(message: string): StatusError {
  return failure('RequestEntityTooLarge', message);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure('TooManyRequests', message, { retryAfterSeconds });
}

export function serverTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  const message = `The ${operation} operation against ${qualifiedResource(resource)} could not be completed at this time, please try again.`;
  return failure('ServerTimeout', message, { ...about(resource, operation), retryAfterSeconds });
}

export function timeout(message: string, retryAfterSeconds: number): StatusError {
  return failure('Timeout', `Timeout: ${message}`, { retryAfterSeconds });
}

export function serviceUnavailable(message: string): StatusError {
  return failure('ServiceUnavailable', message);
}

/** Wraps a bug, so that it leaves the server as a 500 and keeps its stack for the log. */
export function internalError(cause: unknown): StatusError {
  const message = messageOf(cause);
  return failure('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });
}

/** Converts any thrown value into a StatusError. */
export function asStatusError(error: unknown): StatusError {
  return StatusError.is(error) ? error : internalError(error);
}

/** The reason of a StatusError, or `undefined` for any other value. */
export function reasonOf(error: unknown): string | undefined {
  return StatusError.is(error) ? error.status.reason : undefined;
}

export function isNotFound(error: unknown): boolean {
  return reasonOf(error) === 'NotFound';
}

export function isAlreadyExists(error: unknown): boolean {
  return reasonOf(error) === 'AlreadyExists';
}

export function isConflict(error: unknown): boolean {
  return reasonOf(error) === 'Conflict';
}

/** An error with any reason. Prefer the named constructors, which have the messages that clients expect. */
export function failure(
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
  options?: ErrorOptions,
): StatusError {
  const code = codeByReason[reason];
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code,
  } as const;
  return new StatusError(status, options);
}

/** Several messages in one, each once: `[a, b]`; a single one without brackets. */
export function aggregate(messages: readonly string[]): string {
  const unique = [...new Set(messages)];
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`;
}

function about({ group, resource }: GroupResource, name: string): StatusDetails {
  return { ...(name && { name }), ...(group && { group }), ...(resource && { kind: resource }) };
}

function naming(resource: GroupResource, name: string): string {
  return `${qualifiedResource(resource)} ${JSON.stringify(name)}`;
}
