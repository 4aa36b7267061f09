import {
  type CustomSchemas,
  openApiV2,
  openApiV3,
  openApiV3Index,
  openApiV3Name,
  openApiV3Names,
  openApiV3Other,
} from '@coracle/api';
import { type ApiResponse, encodeOpenApiV2, openApiV2ProtoMediaTypes } from '@coracle/apimachinery';
import type { Handler, RequestContext } from '../handler-chain.js';
import { hexDigest } from '../hex-digest.js';
import { jsonValue } from '../negotiation/encode-json.js';
import { parseAccept } from '../negotiation/negotiate.js';
import { takesValues, valueResponse } from '../negotiation/respond.js';
import type { ResourceTable } from '../registry/resource-table.js';
import type { ServedResource } from '../registry/served-resource.js';
import { versionInfo } from './version.js';

const version = versionInfo.gitVersion;

interface Document {
  readonly value: object;
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Made for the first client that asks for it. */
  protobuf?: Uint8Array;
}

/** `/openapi/v2` and `/openapi/v3`. Documents are made when they are first asked for. */
export function openApiEndpoints(resources: ResourceTable): Readonly<Record<string, Handler>> {
  const documents = new Documents(resources);
  return {
    '/openapi/v2': async (context) => {
      const v2 = await documents.v2();
      const form = takesValues(context) ? 'json' : formOfV2(context);
      if (form === undefined) return { status: 406, headers: { vary: 'Accept' }, body: { kind: 'empty' } };
      return form === 'protobuf' ? sendProtobuf(context, v2) : send(context, v2);
    },
    '/openapi/v3': async (context) => {
      const response = send(context, await documents.v3Index());
      if (response.body.kind === 'value') return response;
      return { ...response, headers: { ...response.headers, 'content-type': 'text/plain; charset=utf-8' } };
    },
    '/openapi/v3/': async (context) => {
      const document = await documents.v3(context.request.path.slice('/openapi/v3/'.length));
      return document ? sendHashed(context, document) : { status: 404, headers: {}, body: { kind: 'empty' } };
    },
  };
}

/** A document and the resources it was made from. */
interface CachedDocument {
  readonly sources: readonly ServedResource[];
  readonly document: Promise<Document>;
}

/** The documents made so far. One is made again when a resource that it describes has come, changed or gone. */
class Documents {
  readonly #resources: ResourceTable;
  readonly #cache = new Map<string, CachedDocument>();

  constructor(resources: ResourceTable) {
    this.#resources = resources;
  }

  v2(): Promise<Document> {
    const sources = this.#resources.all();
    return this.#document('v2', sources, async () => {
      const customSchemas = customSchemasOf(sources);
      return openApiV2({ resources: sources.map(({ info }) => info), version, customSchemas });
    });
  }

  v3Index(): Promise<Document> {
    const sources = this.#resources.all();
    return this.#document('v3', sources, async () => {
      const names = openApiV3Names(sources.map(({ info }) => info));
      const entries = await Promise.all(names.map(async (name) => [name, hashOf(await this.v3(name))] as const));
      const hashes = new Map(entries);
      return openApiV3Index(names, (name) => hashes.get(name) ?? '');
    });
  }

  /** The document of one group version or path. */
  v3(name: string): Promise<Document | undefined> {
    const sources = this.#resources.all().filter(({ info }) => openApiV3Name(info) === name);
    const [first] = sources;
    if (!first) return this.#other(name);
    return this.#document(`v3/${name}`, sources, async () => {
      const customSchemas = customSchemasOf(sources);
      return openApiV3({
        groupVersion: first.info,
        resources: sources.map(({ info }) => info),
        version,
        customSchemas,
      });
    });
  }

  async #other(name: string): Promise<Document | undefined> {
    this.#cache.delete(`v3/${name}`);
    const value = openApiV3Other(name, version);
    return value && (await makeDocument(value));
  }

  #document(name: string, sources: readonly ServedResource[], make: () => Promise<object>): Promise<Document> {
    const cached = this.#cache.get(name);
    if (cached && sameResources(cached.sources, sources)) return cached.document;
    const document = make().then(makeDocument);
    this.#cache.set(name, { sources, document });
    return document;
  }
}

function sameResources(before: readonly ServedResource[], after: readonly ServedResource[]): boolean {
  return before.length === after.length && before.every((resource, index) => resource === after[index]);
}

async function makeDocument(value: object): Promise<Document> {
  const bytes = jsonValue(value, false);
  return { value, bytes, etag: `"${await hexDigest(bytes)}"` };
}

/** What stands in the address of a document, so that clients keep it until it changes. */
function hashOf(document: Document | undefined): string {
  return document?.etag.slice(1, -1) ?? '';
}

function customSchemasOf(sources: readonly ServedResource[]): CustomSchemas {
  const served = sources.filter(({ jsonSchema }) => jsonSchema);
  return ({ group, version: wanted, kind }) =>
    served.find(({ info }) => info.group === group && info.version === wanted && info.kind === kind)?.jsonSchema;
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
  const right = hashOf(document);
  if (hash !== right) {
    const location = `${context.request.path}?hash=${right}`;
    return { status: 301, headers: { location, 'content-type': 'application/json' }, body: { kind: 'empty' } };
  }
  const response = send(context, document);
  const expires = new Date(context.receivedAt + 365 * 86_400_000).toUTCString();
  return { ...response, headers: { ...response.headers, 'cache-control': 'public, immutable', expires } };
}
