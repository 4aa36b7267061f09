/**
 * A cache of recently set or read keys: at least the last `size` keys, and at most twice as many.
 *
 * Two maps, of which the older is dropped as a whole when the newer is full. To take the oldest key out of one map is
 * expensive where keys come and go: the map keeps a gap for each deleted one, and a search for the first passes all of
 * them.
 */
export class RecentMap<K, V> {
  readonly #size: number;
  #newer = new Map<K, V>();
  /** Absent until something is as old: many are never that full. */
  #older: Map<K, V> | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const cached = this.#older?.get(key);
    if (cached !== undefined) this.set(key, cached);
    return cached;
  }

  set(key: K, value: V): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#size) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  delete(key: K): void {
    this.#newer.delete(key);
    this.#older?.delete(key);
  }

  /** The current keys, each once. */
  entries(): readonly (readonly [K, V])[] {
    return [...new Map([...(this.#older ?? []), ...this.#newer])];
  }
}
