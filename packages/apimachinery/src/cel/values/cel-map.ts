import { CelMap, CelUint, type CelValue } from './cel-value.js';
import { fail } from './evaluation-failure.js';

type Key = string | bigint | boolean | number | object;

/** Numbers of different types that are the same number are the same key. */
function keyOf(key: CelValue): Key {
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  return key instanceof CelUint ? key.value : (key ?? 'null');
}

interface Entry {
  readonly key: CelValue;
  readonly value: CelValue;
  /** Entries at and beyond the size of a map came later, for a map made from it. */
  readonly index: number;
}

/** A map of values. Adding to the newest map of a chain copies nothing. */
export class ValueMap extends CelMap {
  readonly size: number;
  readonly #entries: Map<Key, Entry>;

  private constructor(entries: Map<Key, Entry>) {
    super();
    this.#entries = entries;
    this.size = entries.size;
  }

  static of(pairs: Iterable<readonly [CelValue, CelValue]>): ValueMap {
    const entries = new Map<Key, Entry>();
    for (const [key, value] of pairs) {
      const at = keyOf(key);
      entries.set(at, { key, value, index: entries.get(at)?.index ?? entries.size });
    }
    return new ValueMap(entries);
  }

  get(key: CelValue): CelValue | undefined {
    const entry = this.#entries.get(keyOf(key));
    return entry && entry.index < this.size ? entry.value : undefined;
  }

  *keys(): Iterable<CelValue> {
    for (const { key, index } of this.#entries.values()) if (index < this.size) yield key;
  }

  /** With one more entry; a key that is there already is refused. */
  with(key: CelValue, value: CelValue): ValueMap {
    if (this.has(key)) fail(`insert failed: key ${textOfKey(key)} already exists`);
    const isNewest = this.#entries.size === this.size;
    const entries = isNewest ? this.#entries : new Map([...this.#entries].filter(([, { index }]) => index < this.size));
    entries.set(keyOf(key), { key, value, index: entries.size });
    return new ValueMap(entries);
  }
}

export function textOfKey(key: CelValue): string {
  return key instanceof CelUint ? String(key.value) : String(key);
}

/** A JSON object, whose values are converted when they are read. A null counts as absent if the schema defines it so. */
export class JsonMap extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #value: (key: string, json: unknown) => CelValue | undefined;
  #keys: readonly string[] | undefined;

  constructor(json: Readonly<Record<string, unknown>>, value: (key: string, json: unknown) => CelValue | undefined) {
    super();
    this.json = json;
    this.#value = value;
  }

  get size(): number {
    return this.#names().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined;
    return this.#value(key, this.json[key]);
  }

  keys(): Iterable<CelValue> {
    return this.#names();
  }

  #names(): readonly string[] {
    this.#keys ??= Object.keys(this.json).filter((key) => this.#value(key, this.json[key]) !== undefined);
    return this.#keys;
  }
}
