import { type KubeObject, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { disposable, type Millis } from '@coracle/base';
import type { IndexFunction, InformerHandler, ReflectorState, SharedInformer } from '@coracle/client';

/** Informers of some namespaces, seen as one. */
export class NamespacedInformers<T extends KubeObject> implements SharedInformer<T> {
  readonly #informers: ReadonlyMap<string, SharedInformer<T>>;

  constructor(informers: ReadonlyMap<string, SharedInformer<T>>) {
    this.#informers = informers;
  }

  get hasSynced(): boolean {
    return this.#all().every((informer) => informer.hasSynced);
  }

  /** That of one that does not follow the server, if there is one. */
  get state(): ReflectorState {
    const [first, ...others] = this.#all().map(({ state }) => state);
    return [first, ...others].find((state) => state?.at !== 'watching') ?? (first as ReflectorState);
  }

  async synced(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced()));
  }

  addHandler(handler: InformerHandler<T>, options?: { readonly resyncMs?: Millis }): Disposable {
    const registrations = this.#all().map((informer) => informer.addHandler(handler, options));
    return disposable(() => {
      for (const registration of registrations) registration[Symbol.dispose]();
    });
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    for (const informer of this.#all()) informer.addIndex(name, index);
  }

  get(key: ObjectKey): T | undefined {
    return this.#informers.get(splitObjectKey(key).namespace)?.get(key);
  }

  list(namespace?: string): readonly T[] {
    if (namespace) return this.#informers.get(namespace)?.list(namespace) ?? [];
    return this.#all().flatMap((informer) => informer.list());
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#all().flatMap((informer) => informer.byIndex(index, value));
  }

  #all(): readonly SharedInformer<T>[] {
    return [...this.#informers.values()];
  }
}
