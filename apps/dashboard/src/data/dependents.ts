import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { CachedInformer, type Client } from '@coracle/client';
import { createWebRandom, webClock } from '@coracle/platform-web';
import { type Access, may } from '../model/access-rules.js';
import { type Catalog, idOf, refFor } from '../model/catalog.js';
import { mayShow } from '../model/navigation.js';
import { type FoundObject, kindsIn, type OwnedObject, ownedTree } from '../model/owned-tree.js';

export interface DependentsOptions {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly access: Access;
  readonly uid: string;
  /** Of the owner. Namespaced objects own nothing outside of their namespace. */
  readonly namespace: string | undefined;
  /** As of this revision, and then without changes. */
  readonly at: string | undefined;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

/** Kinds without owners, some of them with very many objects. */
const left = new Set([
  'events',
  'events.events.k8s.io',
  'componentstatuses',
  'pods.metrics.k8s.io',
  'nodes.metrics.k8s.io',
]);

/** What controllers create all the time. Other kinds are followed when one of them is owned. */
const usual = [
  'pods',
  'replicasets.apps',
  'jobs.batch',
  'controllerrevisions.apps',
  'endpointslices.discovery.k8s.io',
  'persistentvolumeclaims',
];
const mostPages = 20;
/** Kinds that are not followed are read again after a change of the owner, but not more often. */
const shortestPauseMs = 5_000;

/** Everything that an object owns, directly and through others, of the kinds that the user may list. */
export class Dependents {
  readonly #options: DependentsOptions;
  readonly #random = createWebRandom();
  readonly #found = new Map<ResourceInfo, Map<string, FoundObject>>();
  readonly #followed = new Set<ResourceInfo>();
  #pause: ReturnType<typeof setTimeout> | undefined;
  #isStale = false;

  constructor(options: DependentsOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => clearTimeout(this.#pause), { once: true });
  }

  get tree(): readonly OwnedObject[] {
    return ownedTree(
      [...this.#found.values()].flatMap((objects) => [...objects.values()]),
      this.#options.uid,
    );
  }

  /** Reads every kind once, and follows those in which something is or may be expected. */
  async read(): Promise<void> {
    const { at, signal } = this.#options;
    this.#rest();
    await Promise.all(this.#kinds().map((info) => this.#list(info)));
    if (signal.aborted) return;
    this.#options.onChange();
    if (at === undefined) for (const info of this.#worthFollowing()) this.#follow(info);
  }

  /** To be called when the owner has changed: its controller may have created something of any kind. */
  refresh(): void {
    if (this.#options.at !== undefined || this.#options.signal.aborted) return;
    if (this.#pause === undefined) void this.read();
    else this.#isStale = true;
  }

  #rest(): void {
    clearTimeout(this.#pause);
    this.#isStale = false;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isStale) this.refresh();
    }, shortestPauseMs);
  }

  #kinds(): ResourceInfo[] {
    const { catalog, access, namespace } = this.#options;
    return catalog.kinds.filter(
      (info) =>
        !this.#followed.has(info) &&
        !left.has(idOf(info)) &&
        may(access, 'list', info) &&
        mayShow(info, access) &&
        (!namespace || info.namespaced),
    );
  }

  #worthFollowing(): Set<ResourceInfo> {
    const { namespace, access, catalog } = this.#options;
    // Beyond one namespace the pods of a whole cluster would be followed for the sake of a few.
    const expected = namespace ? usual.flatMap((id) => catalog.find(id) ?? []) : [];
    const all = [...kindsIn(this.tree), ...expected];
    return new Set(all.filter((info) => may(access, 'watch', info) && may(access, 'list', info)));
  }

  /** A kind that cannot be read (an aggregated server may be down) is left out. */
  async #list(info: ResourceInfo): Promise<void> {
    const { at, signal } = this.#options;
    const found = new Map<string, FoundObject>();
    const past = at === undefined ? {} : { resourceVersion: at, resourceVersionMatch: 'Exact' as const };
    let next: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const how = next ? { continue: next } : past;
      const list = await this.#client(info)
        .list({ limit: 500, ...how, signal })
        .catch(() => undefined);
      for (const object of list?.items ?? []) keep(found, info, object);
      next = list?.metadata.continue;
      if (!next) break;
    }
    if (!this.#followed.has(info)) this.#found.set(info, found);
  }

  #follow(info: ResourceInfo): void {
    if (this.#followed.has(info)) return;
    this.#followed.add(info);
    const { signal, onChange } = this.#options;
    const found = this.#found.get(info) ?? new Map<string, FoundObject>();
    this.#found.set(info, found);
    const informer = new CachedInformer<KubeObject>({
      client: this.#client(info),
      clock: webClock,
      random: this.#random,
      logger: silentLogger,
      name: info.resource,
      transform: ownersOnly,
    });
    informer.addHandler(({ type, object }) => {
      if (type === 'deleted') found.delete(object.metadata.uid ?? '');
      else keep(found, info, object);
      onChange();
    });
    void informer.synced().then(() => {
      const uids = new Set(informer.list().map(({ metadata }) => metadata.uid));
      for (const uid of found.keys()) if (!uids.has(uid)) found.delete(uid);
      onChange();
    });
    void informer.run(signal);
  }

  #client(info: ResourceInfo) {
    const { client, namespace } = this.#options;
    return client.metadata(refFor(info), info.namespaced ? namespace : undefined);
  }
}

/** Objects without an owner are in no tree. */
function keep(found: Map<string, FoundObject>, info: ResourceInfo, { metadata }: KubeObject): void {
  const { uid = '', ownerReferences = [] } = metadata;
  if (ownerReferences.length > 0) found.set(uid, { info, metadata });
  else found.delete(uid);
}

/** The fields of an object that a tree needs; labels and annotations of thousands of pods are not kept. */
function ownersOnly({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, ownerReferences } = metadata;
  return {
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(ownerReferences && { ownerReferences }),
    },
  };
}
