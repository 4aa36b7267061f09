import { apiVersionOf, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import type { Activity, Clock, Logger, Random } from '@coracle/base';
import type { Client } from '../client.js';
import { CachedInformer } from './cached-informer.js';
import type { InformerFactory, InformerOptions, SharedInformer } from './informer.js';

/** Options that all informers of a factory share. */
export interface InformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Held while handlers run, so that a cluster knows when it is idle. */
  readonly activity?: Activity;
  /** Freezes stored objects, so that a change to a shared object throws. For tests. */
  readonly deepFreeze?: boolean;
  /** Watches are restarted after this many seconds, up to twice as many; five minutes by default. */
  readonly watchSeconds?: number;
  /** Defaults of every informer: a namespace, selectors, a transform. */
  readonly defaults?: InformerOptions;
}

/** One informer for each resource and set of options, shared by all callers. */
export function createInformers(options: InformersOptions): InformerFactory {
  return new Informers(options);
}

class Informers implements InformerFactory {
  readonly #options: InformersOptions;
  readonly #informers = new Map<string, CachedInformer<KubeObject>>();
  /** Informers without options, by reference: handlers look them up at every event. */
  readonly #plain = new WeakMap<ResourceRef<unknown>, CachedInformer<KubeObject>>();
  /** Transforms have no name: they are numbered in the order in which they were first seen. */
  readonly #transforms = new Map<unknown, number>();
  /** One for each running informer: Node.js reports a signal with many listeners as a leak. */
  readonly #aborters: AbortController[] = [];
  readonly #runs: Promise<void>[] = [];
  /** Informers that have been created and not started. */
  #waiting: CachedInformer<KubeObject>[] = [];
  #started = false;
  #stopped = false;

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  for<T extends KubeObject>(ref: ResourceRef<T>, options?: InformerOptions): SharedInformer<T> {
    const found: object = (!options && this.#plain.get(ref)) || this.#find(ref as ResourceRef<KubeObject>, options);
    // The key holds the resource, so an informer that is found under it has objects of this type.
    return found as SharedInformer<T>;
  }

  start(): void {
    this.#started = true;
    for (const informer of this.#waiting.splice(0)) this.#run(informer);
  }

  async synced(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced()));
  }

  /** Stops following the server. The cache stays readable. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    for (const aborter of this.#aborters) aborter.abort();
    await Promise.all(this.#runs);
  }

  #find(ref: ResourceRef<KubeObject>, options: InformerOptions | undefined): CachedInformer<KubeObject> {
    const informerOptions = { ...this.#options.defaults, ...options };
    const key = this.#keyOf(ref, informerOptions);
    const found = this.#informers.get(key) ?? this.#make(ref, informerOptions, key);
    if (!options) this.#plain.set(ref, found);
    return found;
  }

  #make(ref: ResourceRef<KubeObject>, informerOptions: InformerOptions, key: string): CachedInformer<KubeObject> {
    const { client, defaults: _, ...rest } = this.#options;
    const { namespace, transform, metadataOnly, ...selection } = informerOptions;
    const informer = new CachedInformer<KubeObject>({
      ...rest,
      client: metadataOnly ? client.metadata(ref, namespace) : client.resource(ref, namespace),
      name: key,
      selection,
      expects: metadataOnly
        ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
        : { apiVersion: apiVersionOf(ref), kind: ref.kind },
      ...(transform && { transform }),
    });
    this.#informers.set(key, informer);
    if (this.#started) this.#run(informer);
    else this.#waiting.push(informer);
    return informer;
  }

  #run(informer: CachedInformer<KubeObject>): void {
    if (this.#stopped) return;
    const aborter = new AbortController();
    this.#aborters.push(aborter);
    this.#runs.push(informer.run(aborter.signal));
  }

  #keyOf(ref: ResourceRef<unknown>, informerOptions: InformerOptions): string {
    const { namespace, labelSelector, fieldSelector, transform, metadataOnly } = informerOptions;
    if (transform && !this.#transforms.has(transform)) this.#transforms.set(transform, this.#transforms.size + 1);
    const marks = [metadataOnly && 'metadata', transform && `#${this.#transforms.get(transform)}`];
    const parts = [namespace, labelSelector, fieldSelector, ...marks];
    const options = parts.some(Boolean) ? `?${parts.map((part) => part || '').join('|')}` : '';
    return `${ref.resource}.${apiVersionOf(ref)}${options}`;
  }
}
