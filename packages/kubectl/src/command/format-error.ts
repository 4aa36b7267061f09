import { StatusError } from '@coracle/apimachinery';
import { CommandError, ErrorList } from './command-error.js';

/** The server could not be reached. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
  readonly host: string;
  readonly refused: boolean;

  constructor(host: string, cause: Error & { readonly code?: string }) {
    super(cause.message, { cause });
    this.host = host;
    this.refused = cause.code === 'ECONNREFUSED';
  }
}

/** The kubeconfig does not fit together. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
}

/** What kubectl prints of a failure, without the end of the line. */
export function formatError(error: unknown): string {
  if (error instanceof ErrorList && error.errors.length === 1) return formatError(error.errors[0]);
  if (error instanceof ErrorList) return error.errors.map(formatListed).join('\n');
  if (error instanceof InvalidConfiguration) return `Error in configuration: ${error.message}`;
  if (error instanceof StatusError && error.status.reason === 'Invalid') return formatInvalid(error);
  return formatOne(error);
}

/** One of several errors: only those of the server have a prefix. */
function formatListed(error: unknown): string {
  return error instanceof StatusError || error instanceof ConnectionFailed ? formatOne(error) : messageOf(error);
}

function formatOne(error: unknown): string {
  if (error instanceof CommandError && error.plain) return error.message;
  if (error instanceof StatusError) return formatStatus(error);
  if (error instanceof ConnectionFailed) return formatConnection(error);
  const message = messageOf(error);
  return message.startsWith('error: ') ? message : `error: ${message}`;
}

function formatStatus({ status }: StatusError): string {
  const message = status.message ?? '';
  if (status.reason === 'Unauthorized') return `error: You must be logged in to the server (${message})`;
  return status.reason ? `Error from server (${status.reason}): ${message}` : `Error from server: ${message}`;
}

function formatInvalid({ status }: StatusError): string {
  const { details, message } = status;
  const named = details?.kind || details?.name;
  const subject = named
    ? `The ${details?.kind ?? ''} ${JSON.stringify(details?.name ?? '')} is invalid`
    : 'The request is invalid';
  const causes = [
    ...new Set((details?.causes ?? []).map(({ field, message: text }) => `${field ?? ''}: ${text ?? ''}`)),
  ];
  if (causes.length === 1) return `${subject}: ${causes[0]}`;
  if (causes.length > 1) return `${subject}: \n${causes.map((cause) => `* ${cause}`).join('\n')}`;
  return named || !message ? subject : `${subject}: ${message}`;
}

function formatConnection({ refused, host, message }: ConnectionFailed): string {
  if (refused) return `The connection to the server ${host} was refused - did you specify the right host or port?`;
  return `Unable to connect to the server: ${message}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error with the action and the file. */
export function withSource(error: unknown, verb: string, source: string): unknown {
  if (source === '') return error;
  const text = `error when ${verb} ${JSON.stringify(source)}: `;
  if (error instanceof StatusError)
    return new StatusError({ ...error.status, message: text + (error.status.message ?? '') });
  if (error instanceof ConnectionFailed) return error;
  return new CommandError(text + messageOf(error));
}
