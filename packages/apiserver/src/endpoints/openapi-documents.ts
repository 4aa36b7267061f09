import {
  type CustomSchemas,
  openApiV2,
  openApiV2Groups,
  openApiV2Part,
  openApiV3,
  openApiV3Index,
  openApiV3Name,
  openApiV3Names,
  openApiV3Other,
} from '@coracle/api';
import { writeJson } from '@coracle/apimachinery';
import { hexDigest } from '../hex-digest.js';
import { jsonValue } from '../negotiation/encode-json.js';
import type { ResourceTable } from '../registry/resource-table.js';
import type { ServedResource } from '../served-resource.js';
import { versionInfo } from './version.js';

const version = versionInfo.gitVersion;

/** An OpenAPI document of the API, or of a part of it. */
export interface OpenApiDocument {
  readonly etag: string;
  /** Its JSON, one piece after another. Encoded only when a client needs more than a 304. */
  chunks(): readonly Uint8Array[];
}

/** A document and the resources it was made from. */
interface CachedDocument {
  readonly sources: readonly ServedResource[];
  readonly document: Promise<OpenApiDocument>;
}

/**
 * The documents computed so far. One is computed again when a resource that it describes is added, changed or removed;
 * the part of a custom resource in the large document is computed once.
 */
export class OpenApiDocuments {
  readonly #resources: ResourceTable;
  readonly #cache = new Map<string, CachedDocument>();
  readonly #parts = new WeakMap<ServedResource, DocumentPart>();

  constructor(resources: ResourceTable) {
    this.#resources = resources;
  }

  v2(): Promise<OpenApiDocument> {
    const sources = this.#resources.all();
    return this.#document('v2', sources, async () => {
      const builtIn = sources.filter(({ jsonSchema }) => !jsonSchema);
      const custom = sources.filter(({ jsonSchema }) => jsonSchema);
      const frame = await this.#document('v2/built-in', builtIn, () => wholeDocument(frameOf(builtIn)));
      const etag = await digestOf([frame.etag, ...custom.map(revisionOf)]);
      return { etag, chunks: once(() => this.#joined(frame, { builtIn, custom })) };
    });
  }

  v3Index(): Promise<OpenApiDocument> {
    const sources = this.#resources.all();
    return this.#document('v3', sources, async () => {
      const names = openApiV3Names(sources.map(({ info }) => info));
      const entries = await Promise.all(names.map(async (name) => [name, hashOf(await this.v3(name))] as const));
      const hashes = new Map(entries);
      return await wholeDocument(openApiV3Index(names, (name) => hashes.get(name) ?? ''));
    });
  }

  /** The document of one group version or path. */
  v3(name: string): Promise<OpenApiDocument | undefined> {
    const sources = this.#resources.all().filter(({ info }) => openApiV3Name(info) === name);
    const [first] = sources;
    if (!first) return this.#other(name);
    const make = () =>
      openApiV3({
        groupVersion: first.info,
        resources: sources.map(({ info }) => info),
        version,
        customSchemas: customSchemasOf(sources),
      });
    return this.#document(`v3/${name}`, sources, async () => {
      if (!sources.every(({ revision }) => revision !== undefined)) return await wholeDocument(make());
      return { etag: await digestOf(sources.map(revisionOf)), chunks: once(() => [jsonValue(make(), false)]) };
    });
  }

  async #other(name: string): Promise<OpenApiDocument | undefined> {
    this.#cache.delete(`v3/${name}`);
    const value = openApiV3Other(name, version);
    return value && (await wholeDocument(value));
  }

  #document(
    name: string,
    sources: readonly ServedResource[],
    make: () => Promise<OpenApiDocument>,
  ): Promise<OpenApiDocument> {
    const cached = this.#cache.get(name);
    if (cached && sameResources(cached.sources, sources)) return cached.document;
    const document = make();
    this.#cache.set(name, { sources, document });
    return document;
  }

  /**
   * The document is `{"definitions":{…},"paths":{…},…}`: parts of custom resources are inserted before the braces
   * close.
   */
  #joined(frame: OpenApiDocument, { builtIn, custom }: Sources): Uint8Array[] {
    const [definitions, paths, rest] = frame.chunks();
    if (!definitions || !paths || !rest) return [...frame.chunks()];
    const builtInGroups = new Set(builtIn.map(({ info }) => info.group));
    const groups = openApiV2Groups(custom.map(({ info }) => info).filter(({ group }) => !builtInGroups.has(group)));
    const parts = custom.map((resource) => this.#part(resource));
    return [
      definitions,
      ...parts.map((part) => part.definitions),
      paths,
      fieldsOf(groups),
      ...parts.map((part) => part.paths),
      rest,
    ];
  }

  #part(resource: ServedResource): DocumentPart {
    let part = this.#parts.get(resource);
    if (!part) {
      const { paths, definitions } = openApiV2Part(resource.info, customSchemasOf([resource]));
      part = { paths: fieldsOf(paths), definitions: fieldsOf(definitions) };
      this.#parts.set(resource, part);
    }
    return part;
  }
}

interface Sources {
  readonly builtIn: readonly ServedResource[];
  readonly custom: readonly ServedResource[];
}

interface DocumentPart {
  readonly paths: Uint8Array;
  readonly definitions: Uint8Array;
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** `,"a":1,"b":2`: the fields of an object, to go on with one that has some. */
function fieldsOf(object: object): Uint8Array {
  const text = writeJson(object).slice(1, -1);
  return encoder.encode(text === '' ? '' : `,${text}`);
}

/** The built-in resources, as the fragments between which others are inserted. */
function frameOf(builtIn: readonly ServedResource[]): readonly string[] {
  const document = openApiV2({ resources: builtIn.map(({ info }) => info), version }) as Frame;
  const { definitions, paths, ...rest } = document;
  const inner = (object: object) => writeJson(object).slice(1, -1);
  return [`{"definitions":{${inner(definitions)}`, `},"paths":{${inner(paths)}`, `},${inner(rest)}}`];
}

interface Frame {
  readonly definitions: object;
  readonly paths: object;
}

function sameResources(before: readonly ServedResource[], after: readonly ServedResource[]): boolean {
  return before.length === after.length && before.every((resource, index) => resource === after[index]);
}

function revisionOf({ info, revision = '' }: ServedResource): string {
  return `${info.group}/${info.version}/${info.resource} ${revision}`;
}

async function digestOf(texts: readonly string[]): Promise<string> {
  return `"${await hexDigest(encoder.encode([version, ...texts].join('\n')))}"`;
}

async function wholeDocument(value: object | readonly string[]): Promise<OpenApiDocument> {
  const chunks = Array.isArray(value) ? value.map((text: string) => encoder.encode(text)) : [jsonValue(value, false)];
  return { etag: `"${await hexDigest(joinBytes(chunks))}"`, chunks: () => chunks };
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The hash in the URL of a document, so that clients cache it until it changes. */
export function hashOf(document: OpenApiDocument | undefined): string {
  return document?.etag.slice(1, -1) ?? '';
}

function customSchemasOf(sources: readonly ServedResource[]): CustomSchemas {
  const served = sources.filter(({ jsonSchema }) => jsonSchema);
  return ({ group, version: apiVersion, kind }) =>
    served
      .find(({ info }) => info.group === group && info.version === apiVersion && info.kind === kind)
      ?.jsonSchema?.();
}
