import { isRecord } from '@coracle/base';

/** As many keys may be met until the rest are taken for what somebody made up. */
const familiarKeys = 2_000;

/** Makes the mappings of a stream. */
export class Mappings {
  /** The keys that mappings have. */
  readonly #keys = new Set<string>();
  /** By mapping, the keys that came by a merge, which the mapping's own keys replace. */
  #merged: Map<object, Set<string>> | undefined;

  /** Sets a key, and tells whether the mapping had it before. The last value wins. */
  set(fields: Record<string, unknown>, key: string, value: unknown): boolean {
    const isRepeated = fields[key] !== undefined && Object.hasOwn(fields, key) && !this.#replaces(fields, key);
    put(fields, key, value);
    return isRepeated;
  }

  /**
   * An object for a mapping that begins with the key. An engine keeps a hidden class for each set of keys, and is slow to
   * make them: hostile text with a hundred thousand of these gets objects that have none.
   */
  make(key: string): Record<string, unknown> {
    if (this.#keys.size < familiarKeys) this.#keys.add(key);
    else if (!this.#keys.has(key)) return Object.setPrototypeOf(Object.create(null), Object.prototype);
    return {};
  }

  #replaces(fields: object, key: string): boolean {
    return this.#merged?.get(fields)?.delete(key) ?? false;
  }

  /** Takes the fields of another mapping that this one does not have, as `<<` asks; false if it is no mapping. */
  merge(fields: Record<string, unknown>, source: unknown): boolean {
    if (!isRecord(source)) return false;
    this.#merged ??= new Map();
    const merged = this.#merged.get(fields) ?? new Set();
    this.#merged.set(fields, merged);
    for (const key in source) {
      if (Object.hasOwn(fields, key)) continue;
      put(fields, key, source[key]);
      merged.add(key);
    }
    return true;
  }
}

/** Sets an own property even where the key is `__proto__`. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
