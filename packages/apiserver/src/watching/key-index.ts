/** Values by key, listed in key order. Sorting is deferred until the next list, and is cheap after few changes. */
export class KeyIndex<T> {
  readonly #values = new Map<string, T>();
  /** Every key of `#values` once, and those of `#gone`. */
  #keys: string[] = [];
  /** Keys that were removed but are still in `#keys`, so that a removal costs nothing. */
  readonly #gone = new Set<string>();
  #sorted = true;

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    if (!this.#values.has(key) && !this.#gone.delete(key)) {
      const last = this.#keys[this.#keys.length - 1];
      if (last !== undefined && last > key) this.#sorted = false;
      this.#keys.push(key);
    }
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return;
    this.#gone.add(key);
    if (this.#gone.size > 64 && this.#gone.size > this.#values.size) this.#clean();
  }

  values(): Iterable<T> {
    return this.#values.values();
  }

  /** In key order. The caller owns the array. */
  list(): T[] {
    const keys = this.keys();
    const values = new Array<T>(keys.length);
    for (let i = 0; i < keys.length; i++) values[i] = this.#values.get(keys[i] as string) as T;
    return values;
  }

  /** All keys in order; valid until the next change. */
  keys(): readonly string[] {
    if (this.#gone.size > 0) this.#clean();
    if (!this.#sorted) {
      this.#keys.sort(byCodeUnit);
      this.#sorted = true;
    }
    return this.#keys;
  }

  #clean(): void {
    this.#keys = this.#keys.filter((key) => !this.#gone.has(key));
    this.#gone.clear();
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
