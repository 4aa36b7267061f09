import {
  apiVersionOf,
  badRequest,
  type KubeObject,
  type ObjectKey,
  type ResourceRef,
  splitObjectKey,
} from '@coracle/apimachinery';
import { type Activity, aborted, type Clock, type Logger, type Millis, type Random } from '@coracle/base';
import {
  type Client,
  createInformers,
  type IndexFunction,
  type InformerFactory,
  type InformerOptions,
  type SharedInformer,
} from '@coracle/client';
import type { Runnable } from '../runnable.js';
import { type CacheOptions, type CacheSelection, selectionFor } from './cache-options.js';
import { NamespacedInformers } from './namespaced-informers.js';

/** Dependencies of a cache, which a manager sets. */
export interface ObjectCacheDependencies extends CacheOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly activity?: Activity;
}

/** Which copy of a resource is read. */
export interface CacheReadOptions {
  /** Metadata only: a separate and cheap cache. */
  readonly metadataOnly?: boolean;
}

/**
 * Local copies of resources, shared by everything that a manager runs. A resource is cached from its
 * first use on. The objects are shared: copy before you change.
 */
export class ObjectCache implements Runnable {
  readonly name = 'cache';
  readonly group = 'caches';
  readonly #options: ObjectCacheDependencies;
  readonly #factory: InformerFactory;
  readonly #informers = new Map<string, SharedInformer<KubeObject>>();

  constructor(options: ObjectCacheDependencies) {
    this.#options = options;
    const { client, clock, random, logger, activity, deepFreeze } = options;
    this.#factory = createInformers({
      client,
      clock,
      random,
      logger,
      ...(activity && { activity }),
      ...(deepFreeze && { deepFreeze }),
    });
  }

  /** The same informer however often asked. One that is requested after the start follows the server at once. */
  informerFor<T extends KubeObject>(ref: ResourceRef<T>, options: CacheReadOptions = {}): SharedInformer<T> {
    const key = `${ref.resource}.${apiVersionOf(ref)}${options.metadataOnly ? '?metadata' : ''}`;
    let informer = this.#informers.get(key);
    if (!informer) {
      informer = this.#open(ref as ResourceRef<KubeObject>, options);
      this.#informers.set(key, informer);
    }
    // The key holds the resource, so an informer that is found under it has objects of this type.
    return informer as SharedInformer<T>;
  }

  /** Waits until a new cache is synced. `undefined` if there is no such object in it. */
  async get<T extends KubeObject>(ref: ResourceRef<T>, key: ObjectKey): Promise<T | undefined> {
    return (await this.#read(ref, splitObjectKey(key).namespace)).get(key);
  }

  async list<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): Promise<readonly T[]> {
    return (await this.#read(ref, namespace)).list(namespace);
  }

  /** Objects for which the index named so gave `value`. */
  async byIndex<T extends KubeObject>(ref: ResourceRef<T>, index: string, value: string): Promise<readonly T[]> {
    return (await this.#read(ref)).byIndex(index, value);
  }

  addIndex<T extends KubeObject>(ref: ResourceRef<T>, name: string, index: IndexFunction<T>): void {
    this.informerFor(ref).addIndex(name, index);
  }

  /** The resync period of a new handler, with jitter. */
  resyncMs(): Millis {
    const { random, syncPeriodMs = 36_000_000 } = this.#options;
    return syncPeriodMs * (0.9 + 0.2 * random.next());
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#factory.start();
    await aborted(signal);
    await this.#factory[Symbol.asyncDispose]();
  }

  /** Whether every copy that has been requested so far is complete. */
  get isSynced(): boolean {
    return [...this.#informers.values()].every(({ hasSynced }) => hasSynced);
  }

  /** Resolves when every copy that has been requested so far is complete. */
  ready(): Promise<void> {
    return this.#factory.synced();
  }

  async #read<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): Promise<SharedInformer<T>> {
    const { namespaces } = selectionFor(this.#options, ref);
    if (ref.namespaced && namespace && namespaces && !namespaces.includes(namespace))
      throw badRequest(`unable to read: ${namespace} because of unknown namespace for the cache`);
    const informer = this.informerFor(ref);
    if (!informer.hasSynced) await informer.synced();
    return informer;
  }

  #open(ref: ResourceRef<KubeObject>, options: CacheReadOptions): SharedInformer<KubeObject> {
    const { namespaces, ...selection } = selectionFor(this.#options, ref);
    const common: InformerOptions = {
      ...options,
      ...selection,
      transform: keptForm(ref, options, selection.transform),
    };
    if (!ref.namespaced || !namespaces) return this.#factory.for(ref, common);
    const [only, ...more] = namespaces;
    if (only !== undefined && more.length === 0) return this.#factory.for(ref, { ...common, namespace: only });
    return new NamespacedInformers(
      new Map(namespaces.map((namespace) => [namespace, this.#factory.for(ref, { ...common, namespace })])),
    );
  }
}

type Transform = NonNullable<CacheSelection['transform']>;

/**
 * Items of lists have no kind; cached objects do, because events and owner references are made of them. A server in
 * this process shares whole objects, also if only metadata is needed.
 */
function keptForm(
  ref: ResourceRef<KubeObject>,
  { metadataOnly }: CacheReadOptions,
  transform: Transform = (object) => object,
): Transform {
  const type = { apiVersion: apiVersionOf(ref), kind: ref.kind };
  return <T extends KubeObject>(object: T) => {
    if (metadataOnly) return transform({ ...type, metadata: object.metadata } as T);
    return transform(object.kind ? object : { ...object, ...type });
  };
}
