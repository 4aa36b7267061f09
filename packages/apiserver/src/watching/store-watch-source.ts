import { expired } from '@coracle/apimachinery';
import { type Clock, disposable, every, type Millis } from '@coracle/base';
import { type KeyValue, type Revision, type Store, StoreError, type StoreEvent } from '@coracle/store';
import type { ObjectFormat } from '../storage/object-format.js';
import { StoredObject } from '../storage/stored-object.js';
import { CacheEvent } from './cache-event.js';
import type { CacheWatcher, WatchScope } from './watcher-index.js';

export interface StoreWatchSourceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly format: ObjectFormat;
  readonly prefix: string;
  /** The watch reports writes after this revision. */
  readonly revision: Revision;
  /** The objects at that revision, if the watch begins with them. */
  readonly objects: readonly StoredObject[];
}

/** Interval of progress requests to the store, which advance bookmarks while nothing changes. */
const progressEveryMs: Millis = 10_000;

/** Feeds one watch from the store: for resources that are not cached. */
export class StoreWatchSource {
  readonly #options: StoreWatchSourceOptions;
  readonly loading = undefined;
  readonly oldestRevision: Revision = 0;
  #revision: Revision;
  /** Events are delivered one after the other: their previous states are read from the store. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: StoreWatchSourceOptions) {
    this.#options = options;
    this.#revision = options.revision;
  }

  /** Everything up to this revision has been delivered. */
  get revision(): Revision {
    return this.#revision;
  }

  list(): readonly StoredObject[] {
    return this.#options.objects;
  }

  /** The watch delivers them. */
  eventsAfter(): readonly CacheEvent[] {
    return [];
  }

  watch(_scope: WatchScope, watcher: CacheWatcher): Disposable {
    const { store, clock, prefix } = this.#options;
    const ended = new AbortController();
    const inTurn = (step: () => void | Promise<void>): void => {
      this.#work = this.#work
        .then(() => (ended.signal.aborted ? undefined : step()))
        .catch((error: unknown) => this.#fail(watcher, error));
    };
    const watch = store.watch(prefix, this.#revision + 1, {
      onEvents: (events, revision) => inTurn(() => this.#tell(watcher, events, revision)),
      onProgress: (revision) => inTurn(() => this.#advance(revision)),
      onError: (error) => inTurn(() => this.#fail(watcher, error)),
    });
    const asking = every(clock, progressEveryMs, () => watch.requestProgress());
    return disposable(() => {
      ended.abort();
      asking[Symbol.dispose]();
      watch[Symbol.dispose]();
    });
  }

  async #tell(watcher: CacheWatcher, events: readonly StoreEvent[], revision: Revision): Promise<void> {
    for (const event of events) {
      const { keyValue } = event;
      const { key, modRevision } = keyValue;
      const previous = isCreation(event) ? undefined : await this.#at(key, modRevision - 1);
      const current = event.type === 'put' ? this.#stored(keyValue) : undefined;
      const recordedAt = this.#options.clock.now();
      watcher.onEvent(new CacheEvent({ revision: modRevision, key, current, previous, recordedAt }));
    }
    this.#advance(revision);
  }

  async #at(key: string, revision: Revision): Promise<StoredObject | undefined> {
    const keyValue = await this.#options.store.get(key, { revision });
    return keyValue && this.#stored(keyValue);
  }

  #stored(keyValue: KeyValue): StoredObject {
    return StoredObject.fromKeyValue(keyValue, this.#options.format);
  }

  #advance(revision: Revision): void {
    this.#revision = Math.max(this.#revision, revision);
  }

  #fail(watcher: CacheWatcher, error: unknown): void {
    if (!StoreError.is(error, 'Compacted')) watcher.onEnd();
    else watcher.onEnd(expired(`too old resource version: ${this.#revision} (${error.compactRevision ?? 0})`));
  }
}

function isCreation({ type, keyValue }: StoreEvent): boolean {
  return type === 'put' && keyValue.version === 1;
}
