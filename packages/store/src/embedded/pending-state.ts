import { RecentMap } from '@coracle/base';
import type { KeyValue } from '../store.js';
import type { History } from './history.js';
import type { LiveKey, Position } from './layout.js';

/** The newest decided state of a key. */
export type Entry =
  /** `keyValue` is set while the write is in progress, until it can be read from the backend. */
  | { readonly position: Position; readonly live: LiveKey; readonly keyValue?: KeyValue }
  | { readonly position: Position; readonly live: undefined; readonly keyValue?: undefined };

/** Recently written keys, so that the next write to them need not read the backend. */
const remembered = 10_000;

/**
 * The store as it will be when everything that was decided is durable. Transactions are decided on it.
 *
 * For keys that it does not hold, the backend is up to date.
 */
export class PendingState {
  readonly #history: History;
  readonly #underWay = new Map<string, Entry>();
  /** The backend with the durable state. It is behind only for keys with a write in progress. */
  #recent = new RecentMap<string, Entry>(remembered);

  constructor(history: History) {
    this.#history = history;
  }

  /** Keys with a write in progress. */
  keys(): Iterable<string> {
    return this.#underWay.keys();
  }

  has(key: string): boolean {
    return this.#underWay.has(key);
  }

  get(key: string): Entry | undefined {
    return this.#underWay.get(key) ?? this.#recent.get(key) ?? this.#stored(key);
  }

  /** The key's value with its revisions. */
  read(key: string): KeyValue | undefined {
    const entry = this.get(key);
    if (!entry?.live) return undefined;
    return entry.keyValue ?? this.#history.keyValue(entry.position);
  }

  set(key: string, entry: Entry): void {
    this.#underWay.set(key, entry);
  }

  /** The backend has the key up to `revision` now. */
  settle(key: string, revision: number): void {
    const entry = this.#underWay.get(key);
    if (!entry || entry.position.revision > revision) return;
    this.#underWay.delete(key);
    this.#recent.set(key, { position: entry.position, live: entry.live } as Entry);
  }

  /**
   * The writes in progress have failed. Of their keys, earlier writes may be in the backend that were never settled.
   */
  clear(): void {
    this.#underWay.clear();
    this.#recent = new RecentMap(remembered);
  }

  #stored(key: string): Entry | undefined {
    const live = this.#history.live(key);
    if (live) return { position: live.position, live };
    const position = this.#history.deleted(key);
    return position && { position, live: undefined };
  }
}
