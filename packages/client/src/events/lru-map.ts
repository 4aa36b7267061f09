/** A map that forgets what was used longest ago when it is full. */
export class LruMap<Key, Value> {
  /** In the order of use: a `Map` keeps the order of insertion, and use inserts anew. */
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  entries(): readonly (readonly [Key, Value])[] {
    return [...this.#entries];
  }
}
