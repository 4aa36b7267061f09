import { isRecord } from '@coracle/base';

/** Maximum number of distinct first keys that get ordinary objects; beyond that the text counts as hostile. */
const familiarKeys = 2_000;

/** Makes the mappings of a stream. */
export class Mappings {
  /** The keys that mappings have. */
  readonly #keys = new Set<string>();
  /** What was merged into a mapping, without the keys that the mapping's own have replaced since. */
  #merged: Map<object, Record<string, unknown>[]> | undefined;

  /** Sets a key, and reports whether the mapping had it before. The last value wins. */
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

  /** Whether the key came by a merge, so that the mapping's own takes its place. */
  #replaces(fields: object, key: string): boolean {
    const source = this.#merged?.get(fields)?.find((one) => Object.hasOwn(one, key));
    return source !== undefined && delete source[key];
  }

  /**
   * Takes the fields of another mapping that this one does not have, for `<<`; false if it is no mapping. The
   * mapping must not be shared.
   */
  merge(fields: Record<string, unknown>, source: unknown): boolean {
    if (!isRecord(source)) return false;
    this.#merged ??= new Map();
    const before = this.#merged.get(fields);
    if (before) before.push(source);
    else this.#merged.set(fields, [source]);
    for (const key in source) if (!Object.hasOwn(fields, key)) put(fields, key, source[key]);
    return true;
  }
}

/** Sets an own property even where the key is `__proto__`. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
