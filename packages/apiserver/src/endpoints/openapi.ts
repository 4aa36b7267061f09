import {
  type CustomSchemas,
  documentHash,
  openApiV2,
  openApiV3,
  openApiV3Index,
  openApiV3Name,
  openApiV3Names,
  openApiV3Other,
} from '@coracle/api';
import {
  type ApiResponse,
  encodeOpenApiV2,
  type GroupVersion,
  openApiV2ProtoMediaTypes,
  pageNotFound,
  type ResourceInfo,
} from '@coracle/apimachinery';
import type { Handler, RequestContext } from '../handler-chain.js';
import { jsonValue } from '../negotiation/encode-json.js';
import { parseAccept } from '../negotiation/negotiate.js';
import { takesValues, valueResponse } from '../negotiation/respond.js';
import type { ResourceTable } from '../registry/resource-table.js';
import { versionInfo } from './version.js';

const version = versionInfo.gitVersion;

interface Document {
  readonly value: object;
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Made for the first client that asks for it. */
  protobuf?: Uint8Array;
}

/** `/openapi/v2` and `/openapi/v3`. Documents are made when they are first asked for, and kept until a resource comes or goes. */
export function openApiEndpoints(resources: ResourceTable): Readonly<Record<string, Handler>> {
  const documents = new Map<string, Document>();
  let generation = -1;
  const document = (name: string, make: () => object | undefined): Document => {
    if (generation !== resources.generation) {
      documents.clear();
      generation = resources.generation;
    }
    const known = documents.get(name);
    if (known) return known;
    const value = make();
    if (!value) throw pageNotFound();
    const made = { value, bytes: jsonValue(value, false), etag: `"${hashOf(name, infosOf(resources))}"` };
    documents.set(name, made);
    return made;
  };
  return {
    '/openapi/v2': async (context) => {
      const v2 = document('v2', () =>
        openApiV2({ resources: infosOf(resources), version, customSchemas: customSchemasOf(resources) }),
      );
      const form = takesValues(context) ? 'json' : formOfV2(context);
      if (form === undefined) return { status: 406, headers: { vary: 'Accept' }, body: { kind: 'empty' } };
      return form === 'protobuf' ? sendProtobuf(context, v2) : send(context, v2);
    },
    '/openapi/v3': async (context) =>
      send(
        context,
        document('v3', () => indexOf(infosOf(resources))),
      ),
    '/openapi/v3/': async (context) => {
      const name = context.request.path.slice('/openapi/v3/'.length);
      return sendHashed(
        context,
        document(`v3/${name}`, () => documentOf(name, resources)),
      );
    },
  };
}

function infosOf(resources: ResourceTable): ResourceInfo[] {
  return resources.all().map(({ info }) => info);
}

function customSchemasOf(resources: ResourceTable): CustomSchemas {
  const served = resources.all().filter(({ jsonSchema }) => jsonSchema);
  return ({ group, version: wanted, kind }) =>
    served.find(({ info }) => info.group === group && info.version === wanted && info.kind === kind)?.jsonSchema;
}

function indexOf(infos: readonly ResourceInfo[]): object {
  return openApiV3Index(openApiV3Names(infos), (name) => hashOf(`v3/${name}`, infos));
}

function documentOf(name: string, resources: ResourceTable): object | undefined {
  const infos = infosOf(resources);
  const groupVersion: GroupVersion | undefined = infos.find((info) => openApiV3Name(info) === name);
  if (!groupVersion) return openApiV3Other(name, version);
  return openApiV3({ groupVersion, resources: infos, version, customSchemas: customSchemasOf(resources) });
}

function hashOf(name: string, infos: readonly ResourceInfo[]): string {
  const own = name.startsWith('v3/') ? infos.filter((info) => `v3/${openApiV3Name(info)}` === name) : infos;
  return documentHash([version, name, ...own.map((info) => JSON.stringify(info))]);
}

function send(context: RequestContext, { value, bytes, etag }: Document): ApiResponse {
  if (takesValues(context)) return valueResponse(200, value);
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private', etag, vary: 'Accept' };
  if (context.request.headers['if-none-match'] === etag) return { status: 304, headers, body: { kind: 'empty' } };
  return { status: 200, headers, body: { kind: 'bytes', chunks: [bytes] } };
}

/** The first form that the client takes and that there is. */
function formOfV2({ request }: RequestContext): 'json' | 'protobuf' | undefined {
  for (const { type } of parseAccept(request.headers['accept'] || '*/*')) {
    if (/^(?:\*|application)\/(?:\*|json)$/.test(type)) return 'json';
    if (openApiV2ProtoMediaTypes.some((known) => known.toLowerCase() === type)) return 'protobuf';
  }
  return undefined;
}

/** Under a tag of its own: a client that has kept the JSON form must not be told that nothing has changed. */
function sendProtobuf(context: RequestContext, document: Document): ApiResponse {
  const response = send(context, { ...document, etag: document.etag.replace(/"$/, '-PROTOBUF"') });
  if (response.body.kind !== 'bytes') return response;
  document.protobuf ??= encodeOpenApiV2(document.value);
  const headers = { ...response.headers, 'content-type': openApiV2ProtoMediaTypes[1] };
  return { ...response, headers, body: { kind: 'bytes', chunks: [document.protobuf] } };
}

/** An address with the right hash may be kept for ever; one with another hash leads to the right one. */
function sendHashed(context: RequestContext, document: Document): ApiResponse {
  const hash = context.query.get('hash');
  if (hash === null || hash === '') return send(context, document);
  const right = document.etag.slice(1, -1);
  if (hash !== right) {
    const location = `${context.request.path}?hash=${right}`;
    return { status: 301, headers: { location }, body: { kind: 'empty' } };
  }
  const response = send(context, document);
  const expires = new Date(context.receivedAt + 365 * 86_400_000).toUTCString();
  return { ...response, headers: { ...response.headers, 'cache-control': 'public, immutable', expires } };
}
