import type { KeyValue } from '../store.js';
import type { History } from './history.js';
import type { Position } from './layout.js';

/** The newest that has been decided for a key. */
export interface Entry {
  readonly position: Position;
  /** Absent if the key was deleted. */
  readonly keyValue: KeyValue | undefined;
}

/**
 * The store as it will be when everything that was decided is durable. Transactions are decided on it.
 *
 * It holds only keys with a write under way; for all others the backend is up to date.
 */
export class PendingState {
  readonly #history: History;
  readonly #entries = new Map<string, Entry>();

  constructor(history: History) {
    this.#history = history;
  }

  /** Keys with a write under way. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Entry | undefined {
    const pending = this.#entries.get(key);
    if (pending) return pending;
    const position = this.#history.newest(key);
    return position && { position, keyValue: this.#history.keyValue(position) };
  }

  /** The mod-revision that a comparison sees: 0 for a key that does not exist. */
  modRevision(key: string): number {
    return this.get(key)?.keyValue?.modRevision ?? 0;
  }

  set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
  }

  /** Forgets what the backend holds now. */
  settle(keys: Iterable<string>, revision: number): void {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry && entry.position.revision <= revision) this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
