import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/** How the server's own parts (admission, authorization, allocators) read objects: from the watch caches, never over HTTP. Objects are shared. */
export interface ObjectReader {
  /** From the cache, a moment behind the store perhaps. */
  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined;
  list<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): readonly T[];
  /** From the store itself, for decisions that must not be taken on old facts. */
  getFresh<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): Promise<T | undefined>;
  /** Grows with every change to the resource, so that results computed from it can be cached until then. */
  generation(ref: ResourceRef<KubeObject>): number;
}

/** And how they write: through the same registry as requests, without authorization and admission. */
export interface ObjectWriter {
  create<T extends KubeObject>(ref: ResourceRef<T>, object: T): Promise<T>;
  /** Reads an object, calls `change`, writes the result; retries on conflict. */
  update<T extends KubeObject>(
    ref: ResourceRef<T>,
    namespace: string,
    name: string,
    change: (current: T) => T,
  ): Promise<T>;
  delete(ref: ResourceRef<KubeObject>, namespace: string, name: string): Promise<void>;
  /** The same as `update` for the status alone. */
  updateStatus<T extends KubeObject>(
    ref: ResourceRef<T>,
    namespace: string,
    name: string,
    change: (current: T) => T,
  ): Promise<T>;
}
