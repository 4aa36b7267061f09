import type { KubeObject, ObjectKey, ResourceRef } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ReflectorState } from './reflector.js';

/**
 * An event for the handlers of an informer. Objects are shared and frozen in tests; handlers copy before they change one.
 */
export type InformerEvent<T> =
  | { readonly type: 'added'; readonly object: T; readonly initial: boolean }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  /** `stale`: the watch missed the deletion; `object` is the last observed state, which may be outdated. */
  | { readonly type: 'deleted'; readonly object: T; readonly stale: boolean };

/** Called with each event in the turn in which it arrives. It must not throw. */
export type InformerHandler<T> = (event: InformerEvent<T>) => void;

/** A local cache of the server's objects. Never ahead of the server, usually slightly behind it. */
export interface Lister<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(namespace?: string): readonly T[];
  /** Objects with this value in the index of that name. */
  byIndex(index: string, value: string): readonly T[];
}

/** Returns the values under which an object is found. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * A local copy of one resource, kept up to date by list and watch, and shared by any number of handlers.
 *
 * - Each handler sees, for each object, its versions in order, perhaps not all of them. There is no order
 *   between objects.
 * - A handler added late receives every object as `added` with `initial`.
 * - The copy is updated before handlers are called. Handlers are called synchronously and must not throw.
 * - It never stops by itself: lost connections, expired versions and errors lead to another try.
 */
export interface SharedInformer<T extends KubeObject> extends Lister<T> {
  readonly hasSynced: boolean;
  /** The state of its connection: watching, listing, or waiting to retry after an error. */
  readonly state: ReflectorState;
  /** Resolves when the first complete copy is there and every present handler has received it. */
  synced(): Promise<void>;
  /** With `resyncMs`, the handler receives every object again, as `updated` with itself, in that period. */
  addHandler(handler: InformerHandler<T>, options?: { readonly resyncMs?: Millis }): Disposable;
  /** Adds an index under a name for `byIndex`. Called again with the same function, it does nothing. */
  addIndex(name: string, index: IndexFunction<T>): void;
}

/** The objects of an informer, and the parts of them that it keeps. */
export interface InformerOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Reads and keeps only metadata, if the server supports that. */
  readonly metadataOnly?: boolean;
  /**
   * Transforms objects before they are stored, mostly to save memory. It gets a shared object: it must make a new one,
   * with the same name, namespace, uid and resourceVersion.
   */
  readonly transform?: <T extends KubeObject>(object: T) => T;
}

/** Creates informers: one for each resource and set of options, shared by all callers. */
export interface InformerFactory extends AsyncDisposable {
  for<T extends KubeObject>(ref: ResourceRef<T>, options?: InformerOptions): SharedInformer<T>;
  /** Starts every informer created so far; those created later start by themselves. */
  start(): void;
  /** Resolves when every informer created so far has synced. */
  synced(): Promise<void>;
}
