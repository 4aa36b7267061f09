import {
  apiVersionOf,
  badRequest,
  type FieldSelector,
  type KubeList,
  type KubeObject,
  LabelSelector,
  notFound,
  objectKey,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceRef,
} from '@coracle/apimachinery';
import type { Client, GetOptions, ListOptions, ResourceClient } from '@coracle/client';
import type { ObjectCache } from './object-cache.js';

/** Which reads use the cache, and which the server. */
export interface CachedClientOptions {
  readonly client: Client;
  readonly cache: ObjectCache;
  /** Resources that are always read from the server: secrets, rarely read ones, those that must be fresh. */
  readonly uncached?: readonly ResourceRef<KubeObject>[];
}

/**
 * A client that gets and lists from the cache and does everything else at the server. What it has written it may not
 * read at once: the cache receives a write a moment later.
 */
export function cachedClient({ client, cache, uncached = [] }: CachedClientOptions): Client {
  const isUncached = (ref: ResourceRef<KubeObject>) =>
    uncached.some(({ group, resource }) => group === ref.group && resource === ref.resource);
  const resource = <T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): ResourceClient<T> => {
    const live = client.resource(ref, namespace);
    return isUncached(ref) ? live : withCachedReads(live, new CachedReads(cache, ref, namespace));
  };
  // Accessors such as `pods` call `this.resource`, so that the rest can be inherited.
  return Object.assign(Object.create(client) as Client, {
    resource,
    withUserAgent: (userAgent: string) => cachedClient({ client: client.withUserAgent(userAgent), cache, uncached }),
    withDryRun: () => cachedClient({ client: client.withDryRun(), cache, uncached }),
  });
}

function withCachedReads<T extends KubeObject>(live: ResourceClient<T>, reads: CachedReads<T>): ResourceClient<T> {
  return {
    ...boundTo(live),
    get: (name: string, options?: GetOptions) => (options?.resourceVersion ? live.get(name, options) : reads.get(name)),
    list: (options: ListOptions = {}) => (asksForVersion(options) ? live.list(options) : reads.list(options)),
    async *listAll(options: ListOptions & { readonly pageSize?: number } = {}) {
      if (asksForVersion(options)) yield* live.listAll(options);
      else yield* (await reads.list(options)).items;
    },
  };
}

function asksForVersion({ resourceVersion, continue: token }: ListOptions): boolean {
  return Boolean(resourceVersion || token);
}

const passedOn = [
  'watch',
  'openWatch',
  'create',
  'update',
  'updateStatus',
  'patch',
  'apply',
  'delete',
  'deleteCollection',
  'getSubresource',
  'createSubresource',
  'updateSubresource',
] as const satisfies readonly (keyof ResourceClient<KubeObject>)[];

function boundTo<T extends KubeObject>(live: ResourceClient<T>): Pick<ResourceClient<T>, (typeof passedOn)[number]> {
  const bound = passedOn.map((name) => [name, (live[name] as (...values: unknown[]) => unknown).bind(live)]);
  return Object.fromEntries(bound) as Pick<ResourceClient<T>, (typeof passedOn)[number]>;
}

class CachedReads<T extends KubeObject> {
  readonly #cache: ObjectCache;
  readonly #ref: ResourceRef<T>;
  readonly #namespace: string | undefined;

  constructor(cache: ObjectCache, ref: ResourceRef<T>, namespace: string | undefined) {
    this.#cache = cache;
    this.#ref = ref;
    this.#namespace = namespace;
  }

  async get(name: string): Promise<T> {
    const object = await this.#cache.get(this.#ref, objectKey(this.#namespace, name));
    if (!object) throw notFound(this.#ref, name);
    return object;
  }

  async list({ labelSelector, fieldSelector, limit }: ListOptions): Promise<KubeList<T>> {
    const labels = labelSelector ? parseLabelSelector(labelSelector) : LabelSelector.everything;
    const found = await this.#candidates(fieldSelector ? parseFieldSelector(fieldSelector) : undefined);
    const items = found.filter(({ metadata }) => labels.matches(metadata.labels));
    return {
      apiVersion: apiVersionOf(this.#ref),
      kind: `${this.#ref.kind}List`,
      metadata: {},
      items: limit ? items.slice(0, limit) : items,
    };
  }

  /** Fields are found by an index of their name; without one, only names and namespaces are. */
  async #candidates(fields: FieldSelector | undefined): Promise<readonly T[]> {
    if (!fields || fields.isEmpty) return this.#cache.list(this.#ref, this.#namespace);
    const [first, ...others] = fields.requirements;
    if (!first || others.length > 0 || first.operator !== '=')
      throw badRequest(`the cache finds by one field and its exact value, not by ${fields}`);
    if (first.field === 'metadata.name') {
      const all = await this.#cache.list(this.#ref, this.#namespace);
      return all.filter(({ metadata }) => metadata.name === first.value);
    }
    const found = await this.#cache.byIndex(this.#ref, first.field, first.value);
    return this.#namespace ? found.filter(({ metadata }) => metadata.namespace === this.#namespace) : found;
  }
}
