import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/**
 * Reads objects for components of the server (admission, authorization, allocators) from the watch caches, not over
 * HTTP. Objects are shared.
 */
export interface ObjectReader {
  /** Reads from the cache, which may be slightly behind the store. */
  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined;
  list<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): readonly T[];
  /** Reads from the store, for decisions that require the current state. */
  getFresh<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): Promise<T | undefined>;
  /** Increases with every change to the resource, so that results computed from it can be cached until then. */
  generation(ref: ResourceRef<KubeObject>): number;
}

/** Writes for components of the server: through the same registry as requests, without authorization and admission. */
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
