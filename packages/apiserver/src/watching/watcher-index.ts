import type { KubeObject, StatusError } from '@coracle/apimachinery';
import type { StoredObject } from '../storage/stored-object.js';
import type { CacheEvent } from './cache-event.js';

/** Receives every change in its scope, synchronously and in order. A watcher that throws is ended. */
export interface CacheWatcher {
  onEvent(event: CacheEvent): void;
  /** Ends the watch, because events have been missed. The client receives the error, if there is one. */
  onEnd(error?: StatusError): void;
}

/** The changes that a watcher must receive; its selector filters them further. */
export type WatchScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'namespace'; readonly namespace: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'field'; readonly name: string; readonly value: string };

/** Finds the watches that a change concerns, so that a change has no cost for the others. */
export class WatcherIndex {
  readonly #fields: readonly (readonly [string, (object: KubeObject) => string])[];
  readonly #byScope = new Map<string, Set<CacheWatcher>>();
  #size = 0;
  /** Number of watches by field; a field without watches is not read. */
  #byFieldCount = 0;

  constructor(indexedFields: Readonly<Record<string, (object: KubeObject) => string>>) {
    this.#fields = Object.entries(indexedFields);
  }

  get size(): number {
    return this.#size;
  }

  add(scope: WatchScope, watcher: CacheWatcher): Disposable {
    const name = scopeName(scope);
    const byField = scope.kind === 'field' ? 1 : 0;
    const watchers = this.#byScope.get(name) ?? new Set();
    this.#byScope.set(name, watchers.add(watcher));
    this.#size++;
    this.#byFieldCount += byField;
    return {
      [Symbol.dispose]: () => {
        if (!watchers.delete(watcher)) return;
        this.#size--;
        this.#byFieldCount -= byField;
        if (watchers.size === 0 && this.#byScope.get(name) === watchers) this.#byScope.delete(name);
      },
    };
  }

  dispatch(event: CacheEvent, namespace: string): void {
    if (this.#size === 0) return;
    this.#tell('all', event);
    if (namespace !== '') this.#tell(`namespace/${namespace}`, event);
    this.#tell(`key/${event.key}`, event);
    if (this.#byFieldCount > 0) this.#dispatchByField(event);
  }

  endAll(): void {
    const watchers = [...this.#byScope.values()].flatMap((some) => [...some]);
    for (const watcher of watchers) this.#end(watcher);
  }

  /** A change of the field concerns watches of the old value and of the new one. */
  #dispatchByField(event: CacheEvent): void {
    for (const [name, read] of this.#fields) {
      const value = (object: StoredObject | undefined) => (object ? read(object.object) : undefined);
      const [now, before] = [value(event.current), value(event.previous)];
      if (now !== undefined) this.#tell(`field/${name}=${now}`, event);
      if (before !== undefined && before !== now) this.#tell(`field/${name}=${before}`, event);
    }
  }

  #tell(scope: string, event: CacheEvent): void {
    const watchers = this.#byScope.get(scope);
    if (watchers) for (const watcher of watchers) this.#tellOne(watcher, event);
  }

  #tellOne(watcher: CacheWatcher, event: CacheEvent): void {
    try {
      watcher.onEvent(event);
    } catch {
      // It has missed an event, and is ended. It disposes its registration itself.
      this.#end(watcher);
    }
  }

  /** Its failure must not affect the watchers after it. */
  #end(watcher: CacheWatcher): void {
    try {
      watcher.onEnd();
    } catch {
      // There is no registration to remove.
    }
  }
}

function scopeName(scope: WatchScope): string {
  switch (scope.kind) {
    case 'all':
      return 'all';
    case 'namespace':
      return `namespace/${scope.namespace}`;
    case 'key':
      return `key/${scope.key}`;
    case 'field':
      return `field/${scope.name}=${scope.value}`;
  }
}
