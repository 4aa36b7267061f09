import { type PartialResource, type ResourceInfo, RestMapper } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { Client } from '../client.js';
import { discover } from './discover.js';
import { type ApiGroup, type ApiResourceList, resourceInfos, type ServerResources } from './server-resources.js';

/** Where discovery is cached between runs. Names are relative, with slashes: `apps/v1/serverresources.json`. */
export interface DiscoveryFiles {
  read(name: string): Promise<{ readonly text: string; readonly modifiedAt: Millis } | undefined>;
  write(name: string, text: string): Promise<void>;
}

/** The server, and the cache directory. */
export interface CachedDiscoveryOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Without it, discovery is cached in memory only. */
  readonly files?: DiscoveryFiles;
  readonly ttlMs?: Millis;
}

const groupsFile = 'servergroups.json';

/**
 * The resources of a server, read once and cached: in memory, and in files for ten minutes.
 *
 * A resource that is missing in a cached response is searched once more in a new one, because it may have been added
 * since.
 */
export class CachedDiscovery {
  readonly #options: CachedDiscoveryOptions;
  readonly #ttlMs: Millis;
  #loading: Promise<Loaded> | undefined;
  /** The server's last response, for revalidation. */
  #last: Loaded | undefined;
  /** Number of invalidations. After the first one, cached files of other processes are stale. */
  #invalidations = 0;

  constructor(options: CachedDiscoveryOptions) {
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? 600_000;
  }

  async resources(): Promise<ServerResources> {
    return (await this.#load()).resources;
  }

  async mapper(): Promise<RestMapper> {
    return (await this.#load()).mapper;
  }

  /** By `pods`, `po`, `deployments.apps`, `deployments.v1.apps`; or in parts. */
  find(name: string | PartialResource): Promise<ResourceInfo | undefined> {
    return this.#lookUp((mapper) => (typeof name === 'string' ? mapper.parse(name) : mapper.find(name)));
  }

  byKind(kind: Parameters<RestMapper['byKind']>[0]): Promise<ResourceInfo | undefined> {
    return this.#lookUp((mapper) => mapper.byKind(kind));
  }

  /** The next call sends a request, whatever is cached. */
  invalidate(): void {
    this.#invalidations++;
    this.#loading = undefined;
  }

  async #lookUp(find: (mapper: RestMapper) => ResourceInfo | undefined): Promise<ResourceInfo | undefined> {
    const first = await this.#load();
    const found = find(first.mapper);
    if (found || first.fresh) return found;
    this.invalidate();
    return find((await this.#load()).mapper);
  }

  async #load(): Promise<Loaded> {
    this.#loading ??= this.#readOrAsk();
    const loading = this.#loading;
    // After `invalidate`, a response to an earlier request is not cached.
    const keep = (next: Promise<Loaded> | undefined) => {
      if (this.#loading === loading) this.#loading = next;
    };
    try {
      const loaded = await loading;
      // A response is fresh for the caller that waited for it, and cached for later ones.
      keep(Promise.resolve({ ...loaded, fresh: false }));
      return loaded;
    } catch (error) {
      keep(undefined);
      throw error;
    }
  }

  async #readOrAsk(): Promise<Loaded> {
    const invalidations = this.#invalidations;
    const cached = invalidations > 0 ? undefined : await this.#read();
    if (cached) return loaded(cached, false);
    const last = this.#last;
    const newResources = await discover(this.#options.client, last?.resources);
    if (last?.resources === newResources) return last;
    const next = loaded(newResources, true);
    // A response to a request from before an invalidation replaces nothing newer.
    if (invalidations !== this.#invalidations) return next;
    this.#last = next;
    await this.#write(newResources);
    return next;
  }

  async #read(): Promise<ServerResources | undefined> {
    const groups = await this.#readFile<{ readonly groups: ApiGroup[] }>(groupsFile);
    if (!groups) return undefined;
    const versions = groups.groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
    const lists = await Promise.all(versions.map((version) => this.#readFile<ApiResourceList>(fileOf(version))));
    if (lists.includes(undefined)) return undefined;
    return { groups: groups.groups, lists: lists.filter((list) => list !== undefined), failures: new Map() };
  }

  /** A file that is too old, or cannot be read, counts as missing. */
  async #readFile<T>(name: string): Promise<T | undefined> {
    const file = await this.#options.files?.read(name);
    if (!file || file.modifiedAt + this.#ttlMs < this.#options.clock.now()) return undefined;
    try {
      return JSON.parse(file.text) as T;
    } catch {
      return undefined;
    }
  }

  async #write({ groups, lists, failures }: ServerResources): Promise<void> {
    const { files } = this.#options;
    // A partial response is not cached: missing groups would be missing for ten minutes.
    if (!files || failures.size > 0) return;
    const texts = lists.map(
      (list) => [fileOf(list.groupVersion), { kind: 'APIResourceList', apiVersion: 'v1', ...list }] as const,
    );
    const all = [[groupsFile, { kind: 'APIGroupList', apiVersion: 'v1', groups }] as const, ...texts];
    await Promise.all(all.map(([name, value]) => files.write(name, JSON.stringify(value))));
  }
}

interface Loaded {
  readonly resources: ServerResources;
  readonly mapper: RestMapper;
  /** It just came from the server: another request would return the same. */
  readonly fresh: boolean;
}

function loaded(resources: ServerResources, fresh: boolean): Loaded {
  return { resources, mapper: new RestMapper(resourceInfos(resources)), fresh };
}

function fileOf(groupVersion: string): string {
  return `${groupVersion}/serverresources.json`;
}
