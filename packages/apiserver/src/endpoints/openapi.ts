import { type ApiResponse, encodeOpenApiV2, openApiV2ProtoMediaTypes, readJson } from '@coracle/apimachinery';
import type { Handler, RequestContext } from '../handler-chain.js';
import { parseAccept } from '../negotiation/negotiate.js';
import { takesValues, valueResponse } from '../negotiation/respond.js';
import type { ResourceTable } from '../registry/resource-table.js';
import { namesTag, notModified } from './entity-tag.js';
import { hashOf, joinBytes, type OpenApiDocument, OpenApiDocuments } from './openapi-documents.js';

/** `/openapi/v2` and `/openapi/v3`. Documents are made when they are first requested. */
export function openApiEndpoints(resources: ResourceTable): Readonly<Record<string, Handler>> {
  const documents = new OpenApiDocuments(resources);
  return {
    '/openapi/v2': async (context) => {
      const v2 = await documents.v2();
      const form = takesValues(context) ? 'json' : formOfV2(context);
      if (form === undefined) return { status: 406, headers: { vary: 'Accept' }, body: { kind: 'empty' } };
      return form === 'protobuf' ? sendProtobuf(context, v2) : send(context, v2);
    },
    '/openapi/v3': async (context) => {
      const response = send(context, await documents.v3Index());
      if (response.body.kind !== 'bytes') return response;
      return { ...response, headers: { ...response.headers, 'content-type': 'text/plain; charset=utf-8' } };
    },
    '/openapi/v3/': async (context) => {
      const document = await documents.v3(context.request.path.slice('/openapi/v3/'.length));
      return document ? sendHashed(context, document) : { status: 404, headers: {}, body: { kind: 'empty' } };
    },
  };
}

function send(context: RequestContext, document: OpenApiDocument): ApiResponse {
  const { etag } = document;
  if (takesValues(context)) return valueResponse(200, parsedOf(document));
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private', etag, vary: 'Accept' };
  if (namesTag(context.request.headers['if-none-match'], etag)) return notModified(headers);
  return { status: 200, headers, body: { kind: 'bytes', chunks: document.chunks() } };
}

function parsedOf(document: OpenApiDocument): object {
  return readJson(new TextDecoder().decode(joinBytes(document.chunks()))) as object;
}

/** Computed for the first client that requests it, and cached until the document changes. */
const protobufs = new WeakMap<OpenApiDocument, Uint8Array>();

/** The first media type in the Accept header that is available. */
function formOfV2({ request }: RequestContext): 'json' | 'protobuf' | undefined {
  for (const { type } of parseAccept(request.headers['accept'] || '*/*')) {
    if (/^(?:\*|application)\/(?:\*|json)$/.test(type)) return 'json';
    if (openApiV2ProtoMediaTypes.some((mediaType) => mediaType.toLowerCase() === type)) return 'protobuf';
  }
  return undefined;
}

/** Has an ETag of its own: a client that has cached the JSON form must not receive a 304. */
function sendProtobuf(context: RequestContext, document: OpenApiDocument): ApiResponse {
  const response = send(context, { ...document, etag: document.etag.replace(/"$/, '-PROTOBUF"') });
  if (response.body.kind !== 'bytes') return response;
  const bytes = protobufs.get(document) ?? encodeOpenApiV2(parsedOf(document));
  protobufs.set(document, bytes);
  const headers = { ...response.headers, 'content-type': openApiV2ProtoMediaTypes[1] };
  return { ...response, headers, body: { kind: 'bytes', chunks: [bytes] } };
}

/** A URL with the current hash may be cached without expiry; one with another hash redirects to it. */
function sendHashed(context: RequestContext, document: OpenApiDocument): ApiResponse {
  const hash = context.query.get('hash');
  if (hash === null || hash === '') return send(context, document);
  const right = hashOf(document);
  if (hash !== right) {
    const location = `${context.request.path}?hash=${right}`;
    return { status: 301, headers: { location, 'content-type': 'application/json' }, body: { kind: 'empty' } };
  }
  const response = send(context, document);
  const expires = new Date(context.receivedAt + 365 * 86_400_000).toUTCString();
  return { ...response, headers: { ...response.headers, 'cache-control': 'public, immutable', expires } };
}
