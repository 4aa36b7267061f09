import {
  type ApiRequest,
  type ApiResponse,
  asStatusError,
  badRequest,
  type Exchange,
  parseJson,
  writeJson,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { text } from '../health-checks.js';

/** A review as it comes: a question under `request`, to be answered with the same kind and version. */
export interface Review<Question> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: Question & { readonly uid: string };
}

const longestBody = 7 * 1024 * 1024;

/**
 * Handles reviews of one kind and group. Any other body, and an unknown version, is rejected with a 400; all other
 * responses have the uid of the request.
 */
export function reviewExchange<Question>(
  { kind, group }: { readonly kind: string; readonly group: string },
  answer: (review: Review<Question>) => Promise<Readonly<Record<string, unknown>>>,
): Exchange {
  return async (request) => {
    let review: Review<Question>;
    try {
      review = parseReview(request);
      if (review.kind !== kind || !review.apiVersion.startsWith(`${group}/`))
        throw badRequest(`expected ${kind} of ${group}, got ${review.apiVersion} ${review.kind}`);
    } catch (error) {
      const { status } = asStatusError(error);
      return json(status.code ?? 500, status);
    }
    const response = { uid: review.request.uid, ...(await answer(review)) };
    return json(200, { apiVersion: review.apiVersion, kind: review.kind, response });
  };
}

function parseReview<Question>(request: ApiRequest): Review<Question> {
  const { body } = request;
  if (request.method !== 'POST' || !body) throw badRequest('request body is empty');
  if (body.kind === 'value') return checked(body.value);
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/.test(type)) throw badRequest(`contentType=${type}, expected application/json`);
  if (body.bytes.length > longestBody) throw badRequest(`request entity is too large; limit is ${longestBody} bytes`);
  return checked(parseJson(body.bytes).value);
}

function checked<Question>(value: unknown): Review<Question> {
  const { apiVersion, kind, request } = isRecord(value) ? value : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw badRequest('the body is no review: it has no apiVersion or kind');
  if (!isRecord(request) || typeof request['uid'] !== 'string') throw badRequest('the review has no request');
  // Whatever else is in it was written by the API server.
  return value as Review<Question>;
}

function json(status: number, value: unknown): ApiResponse {
  return text(status, writeJson(value), 'application/json');
}
