import { type ApiResponse, acceptsValues, type ListMeta, type Status } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import { inServedVersion } from '../conversion/conversion.js';
import { convertForEncoding } from '../conversion/converted-objects.js';
import type { RequestContext } from '../handler-chain.js';
import type { StoredObject } from '../storage/stored-object.js';
import { encodeList, encodeObject, encodeValue, type Target } from './encoders.js';
import { mediaTypes, type OutputForm } from './output-form.js';

const noCache = 'no-cache, private';

/** Input of a response: the request, its user, and the negotiated form. */
export interface Reply extends Target {
  readonly context: RequestContext;
}

export function takesValues({ request }: RequestContext): boolean {
  return request.headers[acceptsValues] !== undefined;
}

/** Asynchronous only for remote conversion. */
export function respondWithObject(reply: Reply, stored: StoredObject, status = 200): MaybePromise<ApiResponse> {
  return (
    convertForEncoding(reply.resource, [stored])?.then(({ resource, items }) =>
      objectResponse({ ...reply, resource }, items[0] as StoredObject, status),
    ) ?? objectResponse(reply, stored, status)
  );
}

function objectResponse(reply: Reply, stored: StoredObject, status: number): ApiResponse {
  const { context, resource, form } = reply;
  if (takesValues(context)) return valueResponse(status, inServedVersion(resource, stored.object));
  return bytesResponse(status, form, encodeObject(reply, stored));
}

export function respondWithList(
  reply: Reply,
  items: readonly StoredObject[],
  metadata: ListMeta,
): MaybePromise<ApiResponse> {
  return (
    convertForEncoding(reply.resource, items)?.then((converted) =>
      listResponse({ ...reply, resource: converted.resource }, converted.items, metadata),
    ) ?? listResponse(reply, items, metadata)
  );
}

function listResponse(reply: Reply, items: readonly StoredObject[], metadata: ListMeta): ApiResponse {
  const { context, resource, form } = reply;
  if (takesValues(context)) {
    const { listKind: kind, apiVersion } = resource;
    const objects = items.map((item) => inServedVersion(resource, item.object));
    return valueResponse(200, { kind, apiVersion, metadata, items: objects });
  }
  return bytesResponse(200, form, encodeList(reply, items, metadata));
}

/** Responds with an object that is not stored: a Status, the response to a review. */
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

function bytesResponse(status: number, form: OutputForm, chunks: readonly Uint8Array[]): ApiResponse {
  return {
    status,
    headers: { 'content-type': mediaTypes[form.encoding], 'cache-control': noCache },
    body: { kind: 'bytes', chunks },
  };
}
