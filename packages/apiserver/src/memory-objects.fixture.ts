import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ObjectReader } from './object-reader.js';

/** A list of objects as an `ObjectReader`, for tests. */
export class MemoryObjects implements ObjectReader {
  readonly #objects: KubeObject[];
  #generation = 1;

  constructor(objects: readonly KubeObject[] = []) {
    this.#objects = [...objects];
  }

  /** Replaces an object of the same kind and name, if there is one. */
  put(object: KubeObject): void {
    this.remove(object);
    this.#objects.push(object);
  }

  remove({ kind, metadata: { name, namespace } }: KubeObject): void {
    this.#generation++;
    const at = this.#objects.findIndex(
      (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
    );
    if (at >= 0) this.#objects.splice(at, 1);
  }

  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined {
    return this.list(ref, namespace || undefined).find(({ metadata }) => metadata.name === name);
  }

  list<T extends KubeObject>({ kind }: ResourceRef<T>, namespace?: string): readonly T[] {
    return this.#objects.filter(
      (one) => one.kind === kind && (namespace === undefined || one.metadata.namespace === namespace),
    ) as T[];
  }

  getFresh<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): Promise<T | undefined> {
    return Promise.resolve(this.get(ref, namespace, name));
  }

  generation(): number {
    return this.#generation;
  }
}
