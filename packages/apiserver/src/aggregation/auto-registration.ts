import { refs } from '@coracle/api';
import { isAlreadyExists, isNotFound, type KubeObject } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import { customGroupPriority } from '../discovery/group-documents.js';
import type { Needs } from '../server-parts.js';
import type { ApiService } from './api-service-table.js';

const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';
const customPriority = { groupPriorityMinimum: customGroupPriority, versionPriority: 100 };

export interface RegistrationDependencies {
  readonly parts: Needs<'objects' | 'writer' | 'resources' | 'clock'>;
  readonly logger: Logger;
}

/** Registers the group versions that CRDs define as APIServices, and takes them out again. */
export class AutoRegistration implements Disposable {
  readonly #deps: RegistrationDependencies;
  #subscription: Disposable | undefined;
  #pending: Disposable | undefined;
  #working: Promise<void> = Promise.resolve();
  #disposed = false;

  constructor(deps: RegistrationDependencies) {
    this.#deps = deps;
  }

  start(): void {
    this.#follow();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#pending?.[Symbol.dispose]();
    this.#subscription?.[Symbol.dispose]();
  }

  #follow(): void {
    const { resources } = this.#deps.parts;
    const cache = resources.findStored(refs.customResourceDefinitions)?.storage.cache;
    if (!cache || this.#disposed) return;
    this.#subscription = cache.watch(
      { kind: 'all' },
      {
        onEvent: () => this.#look(),
        onEnd: () =>
          void Promise.resolve()
            .then(() => cache.loading)
            .then(() => this.#follow()),
      },
    );
    this.#look();
  }

  #look(): void {
    if (this.#disposed) return;
    this.#pending ??= this.#deps.parts.clock.schedule(0, () => {
      this.#pending = undefined;
      this.#working = this.#working.then(() => this.#work());
    });
  }

  async #work(): Promise<void> {
    const { objects, writer } = this.#deps.parts;
    const wanted = new Map(wantedServices(this.#deps.parts).map((service) => [service.metadata.name ?? '', service]));
    const known = objects.list(refs.apiServices) as readonly ApiService[];
    const names = new Set(known.map(({ metadata }) => metadata.name ?? ''));
    for (const [name, service] of wanted)
      if (!names.has(name)) await this.#attempt(writer.create(refs.apiServices, service), isAlreadyExists);
    for (const { metadata } of known)
      if (metadata.labels?.[managedLabel] === 'true' && !wanted.has(metadata.name ?? ''))
        await this.#attempt(writer.delete(refs.apiServices, '', metadata.name ?? ''), isNotFound);
  }

  async #attempt(work: Promise<unknown>, isHarmless: (error: unknown) => boolean): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!isHarmless(error) && !this.#disposed)
        this.#deps.logger.error('an APIService could not be registered', { error });
    }
  }
}

/** One for each group version that CRDs define, whether it is served already or in a moment. */
function wantedServices({ objects }: Needs<'objects'>): (ApiService & KubeObject)[] {
  const versions = new Map<string, { readonly group: string; readonly version: string }>();
  for (const { spec, status } of objects.list(refs.customResourceDefinitions)) {
    if (!status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')) continue;
    for (const { name, served } of spec.versions)
      if (served) versions.set(`${name}.${spec.group}`, { group: spec.group, version: name });
  }
  return [...versions].map(([name, { group, version }]) => ({
    metadata: { name, labels: { [managedLabel]: 'true' } },
    spec: { group, version, ...customPriority },
  }));
}
