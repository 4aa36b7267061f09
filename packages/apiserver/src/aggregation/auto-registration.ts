import { type apiextensionsv1, refs } from '@coracle/api';
import { type GroupVersion, isAlreadyExists, isNotFound, type KubeObject } from '@coracle/apimachinery';
import type { Logger, Millis } from '@coracle/base';
import { customGroupPriority } from '../discovery/group-documents.js';
import type { Needs } from '../server-parts.js';
import { followCache } from '../watching/follow-cache.js';
import type { WatchCache } from '../watching/watch-cache.js';
import type { ApiService } from './api-service-table.js';

type Crd = apiextensionsv1.CustomResourceDefinition;

const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';
/** Retries after a failure of the store, because no event of a CRD would cause the next attempt. */
const retryMs: Millis = 5_000;
const customPriority = { groupPriorityMinimum: customGroupPriority, versionPriority: 100 };

export interface RegistrationDependencies {
  readonly parts: Needs<'objects' | 'writer' | 'resources' | 'clock'>;
  readonly logger: Logger;
}

/** Registers the group versions that CRDs define as APIServices, and deletes them. */
export class AutoRegistration implements Disposable {
  readonly #deps: RegistrationDependencies;
  /** By the name of the CRD. */
  readonly #defined = new Map<string, readonly GroupVersion[]>();
  #subscription: Disposable | undefined;
  #pending: Disposable | undefined;
  #working: Promise<void> = Promise.resolve();
  #disposed = false;

  constructor(deps: RegistrationDependencies) {
    this.#deps = deps;
  }

  start(): void {
    const cache = this.#deps.parts.resources.findStored(refs.customResourceDefinitions)?.storage.cache;
    if (!cache) return;
    this.#subscription = followCache(cache, {
      onEvent: ({ current, previous }) => {
        const name = (current ?? previous)?.object.metadata.name ?? '';
        if (current) this.#defined.set(name, versionsOf(current.object as Crd));
        else this.#defined.delete(name);
        this.#look();
      },
      onReload: () => this.#readAll(cache),
    });
    this.#readAll(cache);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#pending?.[Symbol.dispose]();
    this.#subscription?.[Symbol.dispose]();
  }

  #readAll(cache: WatchCache): void {
    this.#defined.clear();
    for (const stored of cache.list({ namespace: '' })) {
      const crd = stored.glance() as Crd;
      this.#defined.set(crd.metadata.name ?? '', versionsOf(crd));
    }
    this.#look();
  }

  #look(afterMs: Millis = 0): void {
    if (this.#disposed) return;
    this.#pending ??= this.#deps.parts.clock.schedule(afterMs, () => {
      this.#pending = undefined;
      this.#working = this.#working
        .then(() => this.#work())
        .catch((error: unknown) => this.#deps.logger.error('APIServices could not be registered', { error }));
    });
  }

  async #work(): Promise<void> {
    const { objects, writer } = this.#deps.parts;
    const services = wantedServices(this.#defined.values());
    const apiServices = objects.list(refs.apiServices) as readonly ApiService[];
    const names = new Set(apiServices.map(({ metadata }) => metadata.name ?? ''));
    for (const [name, service] of services)
      if (!names.has(name)) await this.#attempt(writer.create(refs.apiServices, service), isAlreadyExists);
    for (const { metadata } of apiServices)
      if (metadata.labels?.[managedLabel] === 'true' && !services.has(metadata.name ?? ''))
        await this.#attempt(writer.delete(refs.apiServices, '', metadata.name ?? ''), isNotFound);
  }

  async #attempt(work: Promise<unknown>, isHarmless: (error: unknown) => boolean): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (isHarmless(error) || this.#disposed) return;
      this.#deps.logger.error('an APIService could not be registered', { error, delayMs: retryMs });
      this.#look(retryMs);
    }
  }
}

/** The group versions that an established CRD serves. */
function versionsOf({ spec, status }: apiextensionsv1.CustomResourceDefinition): readonly GroupVersion[] {
  if (!status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')) return [];
  return spec.versions.filter(({ served }) => served).map(({ name }) => ({ group: spec.group, version: name }));
}

/** One for each group version that CRDs define. */
function wantedServices(defined: Iterable<readonly GroupVersion[]>): Map<string, ApiService & KubeObject> {
  const services = new Map<string, ApiService & KubeObject>();
  for (const { group, version } of [...defined].flat()) {
    const name = `${version}.${group}`;
    const metadata = { name, labels: { [managedLabel]: 'true' } };
    services.set(name, { metadata, spec: { group, version, ...customPriority } });
  }
  return services;
}
