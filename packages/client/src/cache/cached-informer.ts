import type { KubeObject, ObjectKey } from '@coracle/apimachinery';
import {
  type Activity,
  type Clock,
  Deferred,
  deepFreeze,
  disposable,
  every,
  type Logger,
  type Millis,
  type Random,
} from '@coracle/base';
import type { ResourceClient } from '../resource-client.js';
import { type Delta, DeltaQueue } from './delta-queue.js';
import { IndexedStore } from './indexed-store.js';
import type { IndexFunction, InformerEvent, InformerHandler, SharedInformer } from './informer.js';
import { type ListSelectors, Reflector, type ReflectorOptions, type ReflectorState } from './reflector.js';

/** The parts of one informer, most of them set by `createInformers`. */
export interface CachedInformerOptions<T extends KubeObject> {
  readonly client: Pick<ResourceClient<T>, 'list' | 'openWatch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Held while handlers run. */
  readonly activity?: Activity;
  /** Its name in logs. */
  readonly name: string;
  readonly selection?: ListSelectors;
  /** The kind of the objects; see `ReflectorOptions`. */
  readonly expects?: NonNullable<ReflectorOptions<T>['expects']>;
  readonly transform?: (object: T) => T;
  /** Deep-freezes objects, so that a change to a shared object throws. For tests, because it costs time. */
  readonly deepFreeze?: boolean;
  readonly onState?: (state: ReflectorState) => void;
  /** See `ReflectorOptions`. */
  readonly watchSeconds?: number;
  /** See `ReflectorOptions`. */
  readonly listsFirst?: boolean;
}

interface Registration<T> {
  readonly handler: InformerHandler<T>;
}

/** server → reflector → delta queue → store → handlers, all in the turn in which an event arrives. */
export class CachedInformer<T extends KubeObject> implements SharedInformer<T> {
  readonly #options: CachedInformerOptions<T>;
  readonly #store: IndexedStore<T>;
  readonly #deltas: DeltaQueue<T>;
  readonly #reflector: Reflector<T>;
  readonly #firstSync = new Deferred<void>();
  /** Replaced, never mutated: a handler that is added or removed during an event does not affect its delivery. */
  #handlers: readonly Registration<T>[] = [];
  /** The handlers of a `Sync`. */
  #resyncing: readonly Registration<T>[] = [];
  #draining = false;
  #synced = false;

  constructor(options: CachedInformerOptions<T>) {
    this.#options = options;
    this.#store = new IndexedStore((index, error) =>
      options.logger.error('An index function threw', { resource: options.name, index, error }),
    );
    const deltas = new DeltaQueue(this.#store);
    this.#deltas = deltas;
    this.#reflector = new Reflector({
      ...options,
      target: {
        add: (object) => this.#drainAfter(() => deltas.add(object)),
        update: (object) => this.#drainAfter(() => deltas.update(object)),
        delete: (object) => this.#drainAfter(() => deltas.delete(object)),
        replace: (objects) => this.#drainAfter(() => deltas.replace(objects)),
      },
    });
  }

  get hasSynced(): boolean {
    return this.#synced;
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  /** The resourceVersion of the cache; empty before the first list. */
  get resourceVersion(): string {
    return this.#reflector.resourceVersion;
  }

  synced(): Promise<void> {
    return this.#firstSync.promise;
  }

  /** Runs until `signal` aborts. Call it once. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  get(key: ObjectKey): T | undefined {
    return this.#store.get(key);
  }

  list(namespace?: string): readonly T[] {
    return this.#store.list(namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    this.#store.addIndex(name, index);
  }

  addHandler(handler: InformerHandler<T>, { resyncMs = 0 }: { readonly resyncMs?: Millis } = {}): Disposable {
    const registration = { handler };
    this.#handlers = [...this.#handlers, registration];
    for (const object of this.#store.list()) this.#call(registration, { type: 'added', object, initial: true });
    const timer = resyncMs > 0 ? every(this.#options.clock, resyncMs, () => this.#resync(registration)) : undefined;
    return disposable(() => {
      timer?.[Symbol.dispose]();
      this.#handlers = this.#handlers.filter((other) => other !== registration);
    });
  }

  #resync(registration: Registration<T>): void {
    this.#resyncing = [registration];
    this.#drainAfter(() => this.#deltas.resync());
  }

  /** Processes queued events. Events that a handler causes wait for those before them. */
  #drainAfter(change: () => void): void {
    change();
    if (this.#draining) return;
    this.#draining = true;
    try {
      const { activity } = this.#options;
      if (activity) activity.during(this.#drain);
      else this.#drain();
    } finally {
      this.#draining = false;
    }
  }

  readonly #drain = (): void => {
    while (this.#deltas.pop(this.#handleAll));
    if (this.#synced || !this.#deltas.hasSynced) return;
    this.#synced = true;
    this.#firstSync.resolve();
  };

  readonly #handleAll = (deltas: readonly Delta<T>[], key: ObjectKey): void => {
    for (const delta of deltas) this.#tryToHandle(delta, key);
  };

  /** A transform that throws loses that object, not the informer. */
  #tryToHandle(delta: Delta<T>, key: ObjectKey): void {
    try {
      this.#handle(delta, key);
    } catch (error) {
      this.#options.logger.error('Failed to apply a change to the cache', {
        resource: this.#options.name,
        key,
        error,
      });
    }
  }

  /** The type of an event depends on what handlers received before, not on the type that the server sent. */
  #handle(delta: Delta<T>, key: ObjectKey): void {
    const previous = this.#store.get(key);
    if (delta.type === 'Deleted') {
      this.#store.delete(key);
      if (!previous) return;
      const object = delta.stale ? previous : this.#lastState(delta.object, previous);
      this.#tell(this.#handlers, { type: 'deleted', object, stale: delta.stale ?? false });
    } else if (delta.type === 'Sync') {
      if (previous) this.#tell(this.#resyncing, { type: 'updated', object: previous, previous });
    } else if (!previous) {
      const object = this.#prepare(delta.object);
      this.#store.put(object, key);
      this.#tell(this.#handlers, { type: 'added', object, initial: !this.#synced });
    } else if (!sameVersion(previous, delta.object)) {
      const object = this.#prepare(delta.object);
      this.#store.put(object, key);
      this.#tell(this.#handlers, { type: 'updated', object, previous });
    }
  }

  /** Handlers are notified of every deletion: if a transform throws on the last state, with the previous one. */
  #lastState(object: T, previous: T): T {
    try {
      return this.#prepare(object);
    } catch (error) {
      const { logger, name } = this.#options;
      logger.error('A transform threw on a deleted object', { resource: name, error });
      return previous;
    }
  }

  #prepare(object: T): T {
    const { transform, deepFreeze: freeze } = this.#options;
    const transformed = transform ? transform(object) : object;
    return freeze ? deepFreeze(transformed) : transformed;
  }

  #tell(to: readonly Registration<T>[], event: InformerEvent<T>): void {
    for (const registration of to) this.#call(registration, event);
  }

  /** A handler that throws has a bug; the event is still delivered to the others. */
  #call({ handler }: Registration<T>, event: InformerEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const { logger, name } = this.#options;
      logger.error('A handler of an informer threw', { resource: name, event: event.type, error });
    }
  }
}

/** The same version of the same object is identical: notifying handlers again would report nothing. */
function sameVersion(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion !== undefined && a.metadata.resourceVersion === b.metadata.resourceVersion;
}
