import { refs } from '@coracle/api';
import { hasFinalizer, isNotFound, type KubeObject, withoutFinalizer, writeJson } from '@coracle/apimachinery';
import { Backoff, deepEqual, type Logger, type Millis } from '@coracle/base';
import {
  type CustomResourceDefinition,
  cleanupFinalizer,
  hasCrdCondition,
  withNamesChecked,
} from '../registry/apiextensions/crd-status.js';
import type { TableDependencies } from '../registry/resource-table.js';
import type { ServedResource } from '../served-resource.js';
import type { Needs } from '../server-parts.js';
import type { StoredObject } from '../storage/stored-object.js';
import { followCache } from '../watching/follow-cache.js';
import type { ResourceStorage } from '../watching/resource-storage.js';
import {
  customResources,
  customStorage,
  hasEarlierSchemas,
  haveDefaults,
  isConvertedByWebhook,
  storedVersion,
  versionsInStore,
} from './custom-resource.js';
import { nameConflict, type TakenNames } from './names-accepted.js';
import { textDigest } from './text-digest.js';
import { partsOf, schemaOf, VersionSchemas } from './version-machinery.js';

export interface CustomResourceServerDependencies {
  readonly parts: Needs<'objects' | 'writer' | 'resources' | 'outbound' | 'clock' | 'random'>;
  readonly tables: TableDependencies;
  readonly logger: Logger;
}

/** CRDs are written some times in a row, and others of this server look at them, too. */
const packAfterMs: Millis = 2_000;
/** Of many that come at once only the last ones wait for that: about a millisecond of work each for large ones. */
const mostDecoded = 16;
/** How long a CRD waits that could not be served, or whose status could not be written. */
const retryDelay = { initialMs: 1_000, maxMs: 30_000 };

/** What is served for one CRD. */
interface ServedCrd {
  readonly uid: string;
  /** Of the spec that is served. */
  readonly generation: number;
  readonly group: string;
  /** How objects are stored: see `formatOf`. */
  readonly format: string;
  readonly isGoing: boolean;
  readonly isEstablished: boolean;
  readonly schemas: VersionSchemas;
  readonly storage: ResourceStorage;
  readonly resources: readonly ServedResource[];
  /** Reports when objects go, while that is waited for. */
  readonly watch: Disposable | undefined;
}

/**
 * Serves custom resources: accepts the names of CRDs, adds their resources to the table, replaces them when a CRD
 * changes, and deletes the objects of a CRD before the CRD.
 */
export class CustomResourceServer implements Disposable {
  readonly #deps: CustomResourceServerDependencies;
  /** By the name of the CRD. */
  readonly #serving = new Map<string, ServedCrd>();
  /** The names of CRDs whose names others have. */
  readonly #rejected = new Set<string>();
  /** The names of CRDs that are to be looked at. */
  readonly #dirty = new Set<string>();
  /** The names of CRDs whose objects may have been decoded, the last one last. */
  readonly #decoded = new Set<string>();
  /** By the name of the CRD that failed: when it is looked at again. */
  readonly #retries = new Map<string, { readonly backoff: Backoff; readonly timer: Disposable }>();
  #packing: Disposable | undefined;
  #subscription: Disposable | undefined;
  #pending: Disposable | undefined;
  #disposed = false;
  /** Passes follow each other: two at once would serve one CRD twice. */
  #pass: Promise<void> = Promise.resolve();

  constructor(deps: CustomResourceServerDependencies) {
    this.#deps = deps;
  }

  /** Resolves when everything that is defined so far is served. */
  async start(): Promise<void> {
    const cache = this.#deps.parts.resources.findStored(refs.customResourceDefinitions)?.storage.cache;
    if (cache)
      this.#subscription = followCache(cache, {
        onEvent: ({ current, previous }) => this.#look((current ?? previous)?.object.metadata.name),
        onReload: () => this.#lookAtAll(),
      });
    this.#lookAtAll();
    await this.#work();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#pending?.[Symbol.dispose]();
    this.#packing?.[Symbol.dispose]();
    for (const { timer } of this.#retries.values()) timer[Symbol.dispose]();
    this.#subscription?.[Symbol.dispose]();
    for (const { watch } of this.#serving.values()) watch?.[Symbol.dispose]();
  }

  #lookAtAll(): void {
    const { objects } = this.#deps.parts;
    for (const { metadata } of objects.list(refs.customResourceDefinitions)) this.#look(metadata.name);
    for (const name of this.#serving.keys()) this.#look(name);
  }

  /** Changes that come together are looked at once. */
  #look(name: string | undefined): void {
    if (name !== undefined) this.#dirty.add(name);
    this.#pending ??= this.#deps.parts.clock.schedule(0, () => {
      this.#pending = undefined;
      this.#pass = this.#pass.then(() => this.#work());
    });
  }

  async #work(): Promise<void> {
    const written: Promise<boolean>[] = [];
    for (const name of this.#dirty) {
      this.#dirty.delete(name);
      this.#decoded.delete(name);
      this.#decoded.add(name);
      this.#packAllBut(mostDecoded);
      if (await this.#attempt(name, () => this.#serveOrWithdraw(name)))
        written.push(this.#attempt(name, () => this.#writeStatus(name)));
    }
    await Promise.all(written);
    this.#packLater();
  }

  async #serveOrWithdraw(name: string): Promise<void> {
    const crd = this.#crd(name);
    if (crd) await this.#reconcile(crd);
    else this.#withdraw(name);
  }

  #crd(name: string): CustomResourceDefinition | undefined {
    return this.#deps.parts.objects.get(refs.customResourceDefinitions, '', name);
  }

  /** Most of a CRD is its schemas, which are of no use until there are objects: then they are read from its bytes. */
  #packLater(): void {
    if (this.#disposed || this.#decoded.size === 0) return;
    this.#packing ??= this.#deps.parts.clock.schedule(packAfterMs, () => {
      this.#packing = undefined;
      this.#packAllBut(0);
    });
  }

  #packAllBut(newest: number): void {
    for (const name of this.#decoded) {
      if (this.#decoded.size <= newest) return;
      this.#decoded.delete(name);
      this.#stored(name)?.pack();
    }
  }

  #stored(name: string): StoredObject | undefined {
    const storage = this.#deps.parts.resources.findStored(refs.customResourceDefinitions)?.storage;
    return storage?.cache.get(storage.key('', name));
  }

  /** Whatever fails with one CRD, the work on the others continues, and it is tried again. */
  async #attempt(name: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#retries.get(name)?.backoff.reset();
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      const delayMs = this.#tryAgain(name);
      this.#deps.logger.error('a custom resource could not be served', { name, error, delayMs });
      return false;
    }
  }

  /** The store may have been away: the CRD itself does not change for that. */
  #tryAgain(name: string): Millis {
    const { backoff, timer } = this.#retries.get(name) ?? { backoff: new Backoff(retryDelay), timer: undefined };
    timer?.[Symbol.dispose]();
    const delayMs = backoff.next();
    if (!this.#disposed)
      this.#retries.set(name, { backoff, timer: this.#deps.parts.clock.schedule(delayMs, () => this.#look(name)) });
    return delayMs;
  }

  async #reconcile(crd: CustomResourceDefinition): Promise<void> {
    const checked = this.#checkNames(crd);
    const { name = '' } = crd.metadata;
    if (hasCrdCondition(checked, 'NamesAccepted')) this.#rejected.delete(name);
    else this.#rejected.add(name);
    if (['NamesAccepted', 'Established'].some((type) => hasCrdCondition(checked, type))) await this.#serve(checked);
    const { deletionTimestamp } = crd.metadata;
    if (deletionTimestamp !== undefined && hasFinalizer(crd, cleanupFinalizer)) await this.#cleanUp(crd);
  }

  /**
   * After it is served: a client that waits for the condition finds the resource. The statuses of many are written at
   * once.
   */
  async #writeStatus(name: string): Promise<void> {
    const crd = this.#crd(name);
    if (!crd || deepEqual(this.#checkNames(crd).status, crd.status)) return;
    await this.#deps.parts.writer.updateStatus(refs.customResourceDefinitions, '', name, (current) =>
      this.#checkNames(current),
    );
  }

  #checkNames(crd: CustomResourceDefinition): CustomResourceDefinition {
    const conflict = nameConflict(crd, this.#takenBeside(crd));
    return withNamesChecked(crd, conflict, this.#deps.parts.clock.now());
  }

  /** The names of all resources of the group that this CRD does not define itself. */
  #takenBeside({ metadata, spec }: CustomResourceDefinition): TakenNames {
    const own = new Set(this.#serving.get(metadata.name ?? '')?.resources);
    const beside = this.#deps.parts.resources.inGroup(spec.group).filter((resource) => !own.has(resource));
    return {
      resources: new Set(beside.flatMap(({ info }) => [info.resource, info.singular, ...info.shortNames])),
      kinds: new Set(beside.flatMap(({ info, listKind }) => [info.kind, listKind])),
    };
  }

  async #serve(crd: CustomResourceDefinition): Promise<void> {
    const { name = '', uid = '' } = crd.metadata;
    const isGoing = crd.metadata.deletionTimestamp !== undefined;
    const served = this.#serving.get(name);
    const isEstablished = hasCrdCondition(crd, 'Established');
    const { generation = 0 } = crd.metadata;
    const hasSameSpec = served?.uid === uid && served.generation === generation;
    if (hasSameSpec && served.isGoing === isGoing && served.isEstablished === isEstablished) return;
    const format = formatOf(crd);
    const schemas = hasSameSpec ? served.schemas : this.#schemas(name);
    const storage =
      (served?.uid === uid && served.format === format && served.storage) || (await this.#open(crd, schemas));
    const resources = customResources({ crd: partsOf(crd), schemas, storage, deps: this.#deps.parts });
    if (served) {
      this.#takeOut(served, storage);
      this.#lookAtRejected(served);
    }
    for (const resource of resources) this.#deps.parts.resources.add(resource);
    const look = () => this.#look(name);
    const watch = isGoing ? followCache(storage.cache, { onEvent: look, onReload: look }) : undefined;
    const { group } = crd.spec;
    this.#serving.set(name, {
      uid,
      generation,
      group,
      format,
      isGoing,
      isEstablished,
      schemas,
      storage,
      resources,
      watch,
    });
  }

  #schemas(name: string): VersionSchemas {
    return new VersionSchemas(() => this.#stored(name)?.glance() as CustomResourceDefinition | undefined);
  }

  async #open(crd: CustomResourceDefinition, schemas: VersionSchemas): Promise<ResourceStorage> {
    const storage = customStorage(crd, schemas, this.#deps.tables);
    await storage.cache.load();
    return storage;
  }

  #withdraw(name: string): void {
    this.#rejected.delete(name);
    this.#retries.get(name)?.timer[Symbol.dispose]();
    this.#retries.delete(name);
    const serving = this.#serving.get(name);
    if (!serving) return;
    this.#takeOut(serving);
    this.#serving.delete(name);
    this.#lookAtRejected(serving);
  }

  /** Names have become free, which others of the group may have been waiting for. */
  #lookAtRejected({ group }: ServedCrd): void {
    for (const name of this.#rejected) if (name.endsWith(`.${group}`)) this.#look(name);
  }

  /** Watches end with their resource, unless it is served again. */
  #takeOut({ resources, storage, watch }: ServedCrd, successor?: ResourceStorage): void {
    for (const resource of resources) this.#deps.parts.resources.remove(resource);
    watch?.[Symbol.dispose]();
    if (storage !== successor) storage[Symbol.dispose]();
  }

  /** Deletes the objects of a CRD, and removes its finalizer after the last of them. */
  async #cleanUp(crd: CustomResourceDefinition): Promise<void> {
    const { writer } = this.#deps.parts;
    const { name = '' } = crd.metadata;
    const serving = this.#serving.get(name);
    const [resource] = serving?.resources ?? [];
    const left = serving?.storage.cache.list({ namespace: '' }) ?? [];
    for (const { object } of left) if (resource) await this.#deleteObject(resource, object);
    if (serving && serving.storage.cache.size > 0) return;
    await writer.update(refs.customResourceDefinitions, '', name, (current) =>
      withoutFinalizer(current, cleanupFinalizer),
    );
  }

  async #deleteObject({ info }: ServedResource, { metadata }: KubeObject): Promise<void> {
    if (metadata.deletionTimestamp !== undefined) return;
    try {
      await this.#deps.parts.writer.delete(info, metadata.namespace ?? '', metadata.name ?? '');
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/**
 * Identifies the form in which objects of a CRD are cached: the stored version, or for a webhook the version that they
 * were written in; and the schemas of the versions that they are read by.
 */
function formatOf(crd: CustomResourceDefinition): string {
  const { name } = storedVersion(crd);
  const schemas = versionsInStore(crd).map((version) => [version, schemaOf(crd, version)]);
  const digest = haveDefaults(crd) || hasEarlierSchemas(crd) ? textDigest(writeJson(schemas)) : '';
  return [name, crd.spec.names.kind, isConvertedByWebhook(crd), digest].join(' ');
}
