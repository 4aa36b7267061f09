import { type Status, type StatusDetails, StatusError } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';

/** The message for a response without a `Status`, by its code. A proxy in between may send such responses. */
const byCode: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', 'the server does not allow access to the requested resource'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  409: ['Conflict', 'the server reported a conflict'],
  410: ['Gone', 'the server no longer has what was asked for'],
  415: ['UnsupportedMediaType', 'the server was unable to understand the content type of the request'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing it'],
};

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/** The failure that the server meant, or one made up from the code when it sent no `Status`. */
export function failureOfResponse(answer: FailedAnswer): StatusError {
  return new StatusError(isStatus(answer.body) ? answer.body : unknownFailure(answer));
}

/** Whether a decoded body is a `Status`. */
export function isStatus(value: unknown): value is Status {
  return isRecord(value) && value['kind'] === 'Status' && typeof value['status'] === 'string';
}

/** The seconds of a `Retry-After` header. The form with a date is not used by API servers and is not read. */
export function retryAfterSeconds(headers: FailedAnswer['headers']): number | undefined {
  const text = headers['retry-after'];
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined;
}

function unknownFailure({ status: code, headers, body }: FailedAnswer): Status {
  const text = typeof body === 'string' ? body.trim() : '';
  const [reason, message] = byCode[code] ?? [
    code >= 500 ? 'InternalError' : '',
    `an error on the server (${JSON.stringify(text || 'unknown')}) has prevented the request from succeeding`,
  ];
  const wait = retryAfterSeconds(headers);
  const details: StatusDetails = {
    ...(text !== '' && { causes: [{ reason: 'UnexpectedServerResponse', message: text }] }),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
}
