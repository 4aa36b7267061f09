import { refs } from '@coracle/api';
import type { GroupVersionKind, ResourceInfo } from '@coracle/apimachinery';
import { type Clock, DisposableStack, disposable, every, type Millis } from '@coracle/base';
import {
  CachedDiscovery,
  type Client,
  type InformerFactory,
  resourceInfos,
  type ServerResources,
} from '@coracle/client';

/** Refresh interval: aggregated API servers change their resources without notification. */
const refreshMs: Millis = 30_000;
/** Delay after a CRD changed: it is written before its resources are served. */
const afterCrdMs: Millis = 1_000;

export interface Catalog {
  /** Each resource once, in the version that the server prefers. */
  readonly resources: readonly ResourceInfo[];
  /** Group versions whose discovery failed, with the reason. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** All served resources, including custom ones, for controllers that handle every kind. */
export class ResourceCatalog implements AsyncDisposable {
  readonly #discovery: CachedDiscovery;
  readonly #parts = new DisposableStack();
  readonly #listeners = new Set<() => void>();
  readonly #clock: Clock;
  /** The discovery results from which the catalog was computed. */
  #found: ServerResources | undefined;
  #catalog: Catalog = { resources: [], failures: new Map() };
  /** Set while a refresh after a change of a CRD is pending. */
  #secondLook: Disposable | undefined;
  /**
   * Whether more CRDs have changed since the last refresh: a thousand changes at once are not processed one by one.
   */
  #changedAgain = false;

  constructor(deps: { readonly client: Client; readonly clock: Clock; readonly informers: InformerFactory }) {
    this.#discovery = new CachedDiscovery(deps);
    this.#clock = deps.clock;
    this.#parts.use(every(deps.clock, refreshMs, () => void this.#refresh()));
    this.#parts.defer(() => this.#secondLook?.[Symbol.dispose]());
    const changed = () => this.#crdChanged();
    this.#parts.use(deps.informers.for(refs.customResourceDefinitions, { metadataOnly: true }).addHandler(changed));
    this.#parts.use(deps.informers.for(refs.apiServices).addHandler(changed));
  }

  async read(): Promise<Catalog> {
    const found = await this.#discovery.resources();
    if (found === this.#found) return this.#catalog;
    const preferred = new Map<string, ResourceInfo>();
    for (const info of resourceInfos(found)) {
      const name = `${info.group}/${info.resource}`;
      if (!preferred.has(name)) preferred.set(name, info);
    }
    this.#found = found;
    this.#catalog = { resources: [...preferred.values()], failures: found.failures };
    return this.#catalog;
  }

  /** The resource of a kind in the version that the server prefers. */
  async byGroupKind({ group, kind }: Omit<GroupVersionKind, 'version'>): Promise<ResourceInfo | undefined> {
    return (await this.read()).resources.find((one) => one.group === group && one.kind === kind);
  }

  /** The resource of a kind in exactly this version. */
  async byKind(kind: GroupVersionKind): Promise<ResourceInfo | undefined> {
    return (await this.#discovery.mapper()).byKind(kind);
  }

  /** A resource by its name, in exactly this version. */
  async byName(
    resource: Omit<GroupVersionKind, 'kind'> & { readonly resource: string },
  ): Promise<ResourceInfo | undefined> {
    const found = (await this.#discovery.mapper()).find(resource);
    return found?.resource === resource.resource ? found : undefined;
  }

  /** Call it when the resources may have changed: the next `read` requests discovery. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return disposable(() => void this.#listeners.delete(listener));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts[Symbol.asyncDispose]();
  }

  /** Followers are notified only if discovery has changed or is incomplete. */
  async #refresh(): Promise<void> {
    const before = this.#found;
    this.#discovery.invalidate();
    const found = await this.#discovery.resources().catch(() => undefined);
    if (!found || found !== before || found.failures.size > 0) this.#tell();
  }

  #crdChanged(): void {
    if (this.#secondLook) {
      this.#changedAgain = true;
      return;
    }
    this.#changed();
    this.#lookAgain();
  }

  #lookAgain(): void {
    this.#changedAgain = false;
    this.#secondLook = this.#clock.schedule(afterCrdMs, () => {
      this.#secondLook = undefined;
      this.#changed();
      if (this.#changedAgain) this.#lookAgain();
    });
  }

  #changed(): void {
    this.#discovery.invalidate();
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
