import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { CacheReadOptions } from './cache/object-cache.js';
import type { Controller, ControllerSettings } from './controller.js';
import { type EventHandler, enqueueObject, enqueueOwner } from './event-handler.js';
import type { Manager } from './manager.js';
import type { Predicate } from './predicate.js';
import type { Reconciler } from './reconciler.js';
import { kindSource, type Source } from './source.js';

/** Which events of a watched resource count. */
export interface WatchSettings<T extends KubeObject> extends CacheReadOptions {
  readonly predicates?: readonly Predicate<T>[];
}

/** Builds a controller of `manager`: its watches, and at the end `complete` with its reconciler. */
export function newController(manager: Manager): ControllerBuilder {
  return new ControllerBuilder(manager);
}

/**
 * Collects the watches of a controller. `newController` creates one; `complete` adds the controller to its manager.
 */
export class ControllerBuilder {
  readonly #manager: Manager;
  #for: { readonly ref: ResourceRef<KubeObject>; readonly settings: WatchSettings<KubeObject> } | undefined;
  /** Created with the controller: only then owners, and predicates for all sources, are known. */
  readonly #watches: (() => Source)[] = [];
  readonly #filters: Predicate[] = [];
  #settings: ControllerSettings = {};
  #name: string | undefined;

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  /** The resource that is reconciled. Once only. */
  for<T extends KubeObject>(ref: ResourceRef<T>, settings: WatchSettings<T> = {}): this {
    if (this.#for)
      throw new Error('For(...) should only be called once, could not assign multiple objects for reconciliation');
    this.#for = { ref: ref as ResourceRef<KubeObject>, settings: settings as WatchSettings<KubeObject> };
    return this;
  }

  /** A resource that the reconciler makes: a change of one enqueues its owner. */
  owns<T extends KubeObject>(
    ref: ResourceRef<T>,
    { everyOwner = false, ...settings }: WatchSettings<T> & { readonly everyOwner?: boolean } = {},
  ): this {
    this.#watches.push(() => {
      if (!this.#for) throw new Error('Owns() can only be used together with For()');
      return this.#kind(ref, { ...settings, handler: enqueueOwner(this.#for.ref, { onlyController: !everyOwner }) });
    });
    return this;
  }

  /** Watches any other resource, with a handler that maps its events to requests. */
  watches<T extends KubeObject>(ref: ResourceRef<T>, handler: EventHandler<T>, settings: WatchSettings<T> = {}): this {
    this.#watches.push(() => this.#kind(ref, { ...settings, handler }));
    return this;
  }

  /** A source of your own. */
  watchesSource(source: Source): this {
    this.#watches.push(() => source);
    return this;
  }

  /** Asked about the events of every resource watched here, beside their own predicates. */
  withPredicates(...predicates: readonly Predicate[]): this {
    this.#filters.push(...predicates);
    return this;
  }

  withSettings(settings: ControllerSettings): this {
    this.#settings = { ...this.#settings, ...settings };
    return this;
  }

  /** The kind in lower case unless stated. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /** Makes the controller and adds it to the manager, which starts it. */
  complete(reconciler: Reconciler): Controller {
    const name = this.#name ?? this.#for?.ref.kind.toLowerCase();
    if (name === undefined) throw new Error('controller must have a name or be for a resource');
    if (!this.#for && this.#watches.length === 0)
      throw new Error(
        'there are no watches configured, controller will never get triggered. Use For(), Owns(), Watches() or WatchesRawSource() to set them up',
      );
    const controller = this.#manager.controller({ ...this.#settings, name, reconciler });
    if (this.#for) controller.watch(this.#kind(this.#for.ref, { ...this.#for.settings, handler: enqueueObject }));
    for (const source of this.#watches) controller.watch(source());
    this.#manager.add(controller);
    return controller;
  }

  #kind<T extends KubeObject>(ref: ResourceRef<T>, options: WatchSettings<T> & { readonly handler: EventHandler<T> }) {
    const predicates = [...this.#filters, ...(options.predicates ?? [])] as readonly Predicate<T>[];
    return kindSource({ ...options, cache: this.#manager.cache, ref, predicates });
  }
}
