import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import {
  IndexedStore,
  type InformerFactory,
  type InformerHandler,
  type ReflectorState,
  type SharedInformer,
} from '@coracle/client';

/** Informers without a server: handlers receive the objects that are put and removed here. */
export class LocalInformers implements InformerFactory {
  readonly #informers = new Map<string, LocalInformer<KubeObject>>();

  for<T extends KubeObject>(ref: ResourceRef<T>): LocalInformer<T> {
    const found: object = this.#informers.get(ref.resource) ?? new LocalInformer<T>();
    // There is one for each resource, so it has objects of this type.
    this.#informers.set(ref.resource, found as LocalInformer<KubeObject>);
    return found as LocalInformer<T>;
  }

  start(): void {}

  async synced(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

class LocalInformer<T extends KubeObject> extends IndexedStore<T> implements SharedInformer<T> {
  readonly hasSynced = true;
  readonly state: ReflectorState = { at: 'idle' };
  readonly #handlers = new Set<InformerHandler<T>>();

  override put(object: T): T | undefined {
    const previous = super.put(object);
    for (const handler of this.#handlers)
      handler(previous ? { type: 'updated', object, previous } : { type: 'added', object, initial: false });
    return previous;
  }

  async synced(): Promise<void> {}

  addHandler(handler: InformerHandler<T>): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }
}
