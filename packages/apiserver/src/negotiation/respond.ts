import { type ApiResponse, acceptsValues, type ListMeta, type Status } from '@coracle/apimachinery';
import type { RequestContext } from '../handler-chain.js';
import { inServedVersion, type ServedResource } from '../registry/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { encodeList, encodeObject, encodeValue } from './encoders.js';
import { mediaTypes, type OutputForm } from './output-form.js';

const noCache = 'no-cache, private';

/** An answer about one request: who asks, what about, and in which form. */
export interface Reply {
  readonly context: RequestContext;
  readonly resource: ServedResource;
  readonly form: OutputForm;
}

export function takesValues({ request }: RequestContext): boolean {
  return request.headers[acceptsValues] !== undefined;
}

export function respondWithObject({ context, resource, form }: Reply, stored: StoredObject, status = 200): ApiResponse {
  if (takesValues(context)) return valueResponse(status, inServedVersion(resource, stored.object));
  return bytesResponse(status, form, encodeObject({ resource, form }, stored));
}

export function respondWithList(
  { context, resource, form }: Reply,
  items: readonly StoredObject[],
  metadata: ListMeta,
): ApiResponse {
  if (takesValues(context)) {
    const { listKind: kind, apiVersion } = resource;
    const objects = items.map((item) => inServedVersion(resource, item.object));
    return valueResponse(200, { kind, apiVersion, metadata, items: objects });
  }
  return bytesResponse(200, form, encodeList({ resource, form }, items, metadata));
}

/** Something that is not stored: a Status, the answer of a review. */
export function respondWithValue(context: RequestContext, form: OutputForm, value: unknown, status = 200): ApiResponse {
  if (takesValues(context)) return valueResponse(status, value);
  return bytesResponse(status, form, encodeValue(form, value));
}

export function respondWithStatus(context: RequestContext, form: OutputForm, status: Status): ApiResponse {
  const response = respondWithValue(context, form, status, status.code);
  const seconds = status.details?.retryAfterSeconds;
  if (seconds === undefined || seconds <= 0) return response;
  return { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } };
}

export function valueResponse(status: number, value: unknown): ApiResponse {
  return { status, headers: {}, body: { kind: 'value', value } };
}

export function bytesResponse(status: number, form: OutputForm, chunks: readonly Uint8Array[]): ApiResponse {
  return {
    status,
    headers: { 'content-type': mediaTypes[form.encoding], 'cache-control': noCache },
    body: { kind: 'bytes', chunks },
  };
}
