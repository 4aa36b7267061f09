import {
  apiVersionOf,
  badRequest,
  type KubeList,
  type KubeObject,
  type ResourceRef,
  type WatchEvent,
} from '@coracle/apimachinery';
import { addFields } from '@coracle/base';
import { listPages } from './pager.js';
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  ResourceClient,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from './resource-client.js';
import type { ContentCodec } from './rest/content-codec.js';
import { queryString } from './rest/query-string.js';
import { objectPath, resourcePath } from './rest/resource-path.js';
import type { RestClient } from './rest/rest-client.js';
import { watchIterable } from './rest/watch-iterable.js';

const patchContentTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** JSON is YAML too: the content type names the kind of patch, not its spelling. */
const applyContentType = 'application/apply-patch+yaml';

/** The requested form of objects. */
export interface View {
  readonly object?: { readonly headers: { readonly accept: string } };
  readonly list?: { readonly headers: { readonly accept: string } };
  /** Converts a whole object to that form. */
  project?(object: KubeObject): KubeObject;
}

const wholeObjects: View = {};

/** JSON is used if a server does not support the other encoding. */
function viewIn({ mediaType }: ContentCodec): View {
  const accept = { headers: { accept: `${mediaType},application/json` } };
  return { object: accept, list: accept };
}

/** Metadata only, which is smaller. In process, objects are shared and delivered whole. */
export const metadataOnly: View = {
  object: { headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' } },
  list: { headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' } },
  project: (object) =>
    object.kind === 'PartialObjectMetadata'
      ? object
      : { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object.metadata },
};

export class RestResourceClient<T extends KubeObject> implements ResourceClient<T> {
  readonly #rest: RestClient;
  readonly #ref: ResourceRef<T>;
  readonly #namespace: string | undefined;
  readonly #view: View;
  readonly #codec: ContentCodec | undefined;

  constructor(
    rest: RestClient,
    ref: ResourceRef<T>,
    scope: { readonly namespace?: string | undefined; readonly view?: View } = {},
  ) {
    this.#rest = rest;
    this.#ref = ref;
    this.#namespace = scope.namespace;
    this.#codec = scope.view ? undefined : rest.codecFor(ref);
    this.#view = scope.view ?? (this.#codec ? viewIn(this.#codec) : wholeObjects);
  }

  async get(name: string, options: GetOptions = {}): Promise<T> {
    return this.#viewed(await this.getSubresource<T>(name, '', options));
  }

  async list(options: ListOptions = {}): Promise<KubeList<T>> {
    const { signal, ...query } = options;
    const path = resourcePath(this.#ref, { namespace: this.#namespace });
    return this.#named(
      await this.#rest.send({ method: 'GET', path, query: queryString({ ...query }), signal, ...this.#view.list }),
    );
  }

  async *listAll(options: ListOptions & { readonly pageSize?: number } = {}): AsyncIterable<T> {
    for await (const page of listPages((query) => this.list(query), options)) yield* page.items;
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    return watchIterable((sink) => this.openWatch(options, sink));
  }

  openWatch(options: WatchOptions, sink: WatchSink<T>): Disposable {
    const { signal, sendInitialEvents, ...fields } = options;
    const query = queryString({
      watch: true,
      ...fields,
      ...(sendInitialEvents !== undefined && { sendInitialEvents: String(sendInitialEvents) }),
    });
    const path = resourcePath(this.#ref, { namespace: this.#namespace });
    return this.#rest.watch({ method: 'GET', path, query, signal, ...this.#view.object }, this.#viewing(sink));
  }

  async create(object: T, options: WriteOptions = {}): Promise<T> {
    const namespace = this.#namespaceFor(object);
    if (this.#ref.namespaced && !namespace) throw badRequest('an empty namespace may not be set during creation');
    return this.#write<T>('POST', { path: resourcePath(this.#ref, { namespace }), ...this.#body(object), options });
  }

  async update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write<T>('PUT', { path: this.#pathOf(object), ...this.#body(object), options });
  }

  async updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write<T>('PUT', { path: this.#pathOf(object, 'status'), ...this.#body(object), options });
  }

  async patch(name: string, patch: unknown, { type, subresource, ...options }: PatchOptions): Promise<T> {
    const path = this.#path(name, subresource);
    return this.#write<T>('PATCH', { path, body: patch, contentType: patchContentTypes[type], options });
  }

  async apply(object: T, { force, subresource, ...options }: ApplyOptions): Promise<T> {
    const path = this.#pathOf(object, subresource);
    const query = force === undefined ? {} : { force: String(force) };
    return this.#write<T>('PATCH', {
      path,
      body: this.#typed(object),
      contentType: applyContentType,
      options,
      query,
    });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<unknown> {
    return this.#rest.send({ method: 'DELETE', path: this.#path(name), ...this.#deletion(options) });
  }

  async deleteCollection({ signal, ...options }: DeleteOptions & ListOptions = {}): Promise<void> {
    const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit } = options;
    const query = queryString({ labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit });
    const path = resourcePath(this.#ref, { namespace: this.#namespace });
    await this.#rest.send({ method: 'DELETE', path, query, ...this.#deletion(options), signal });
  }

  async getSubresource<S>(name: string, subresource: string, options: GetOptions = {}): Promise<S> {
    const { signal, ...query } = options;
    const path = this.#path(name, subresource);
    return (await this.#rest.send({
      method: 'GET',
      path,
      query: queryString({ ...query }),
      signal,
      ...this.#view.object,
    })) as S;
  }

  async createSubresource<S>(name: string, subresource: string, body: S, options: WriteOptions = {}): Promise<unknown> {
    return this.#write('POST', { path: this.#path(name, subresource), body, options });
  }

  async updateSubresource<S>(name: string, subresource: string, body: S, options: WriteOptions = {}): Promise<S> {
    return this.#write<S>('PUT', { path: this.#path(name, subresource), body, options });
  }

  #viewed(object: T): T {
    const { project } = this.#view;
    // A caller that requests another form uses a type that both forms have.
    return project ? (project(object) as T) : object;
  }

  #viewing(sink: WatchSink<T>): WatchSink<T> {
    if (!this.#view.project) return sink;
    return {
      event: (event) => sink.event(event.type === 'ERROR' ? event : { ...event, object: this.#viewed(event.object) }),
      end: (error) => sink.end(error),
    };
  }

  async #write<S>(method: string, write: Write): Promise<S> {
    const { dryRun = this.#rest.dryRun, fieldManager, fieldValidation, signal } = write.options;
    const query = queryString({ ...(dryRun && { dryRun: 'All' }), fieldManager, fieldValidation, ...write.query });
    const { path, body, contentType } = write;
    return (await this.#rest.send({
      method,
      path,
      query,
      body,
      ...(contentType && { contentType }),
      signal,
      ...this.#view.object,
    })) as S;
  }

  #deletion(options: DeleteOptions) {
    return deletion({ dryRun: this.#rest.dryRun, ...options });
  }

  #path(name: string, subresource?: string): string {
    return objectPath(this.#ref, { namespace: this.#namespace, name, subresource });
  }

  #pathOf(object: T, subresource?: string): string {
    const name = object.metadata.name ?? '';
    return objectPath(this.#ref, { namespace: this.#namespaceFor(object), name, subresource });
  }

  #namespaceFor(object: T): string | undefined {
    return this.#ref.namespaced ? this.#namespace || object.metadata.namespace : undefined;
  }

  #body(object: T): { readonly body: unknown; readonly contentType?: string } {
    const body = this.#typed(object);
    return this.#codec ? { body: this.#codec.encode(body), contentType: this.#codec.mediaType } : { body };
  }

  /** Adds the apiVersion and kind that servers require: callers need not repeat those of the reference. */
  #typed(object: T): T {
    return object.kind && object.apiVersion
      ? object
      : addFields(object, { apiVersion: apiVersionOf(this.#ref), kind: this.#ref.kind });
  }

  /** Items of a list have no kind, events of a watch do. Here every object gets its kind. */
  #named(body: unknown): KubeList<T> {
    const list = body as KubeList<T>;
    if (list.items === null || list.items === undefined) return { ...list, items: [] };
    if (this.#view.project) return { ...list, items: list.items.map((item) => this.#viewed(item)) };
    const first = list.items[0];
    if (!first || first.kind) return list;
    const type = { apiVersion: apiVersionOf(this.#ref), kind: this.#ref.kind };
    return { ...list, items: list.items.map((item) => ({ ...type, ...item })) };
  }
}

interface Write {
  readonly path: string;
  readonly body: unknown;
  readonly contentType?: string;
  readonly options: WriteOptions;
  readonly query?: Readonly<Record<string, string>>;
}

function deletion({ signal, dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions) {
  const fields = {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(preconditions && { preconditions }),
    ...(dryRun && { dryRun: ['All'] }),
  };
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...fields };
  return { ...(Object.keys(fields).length > 0 && { body }), signal };
}
