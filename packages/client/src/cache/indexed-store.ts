import { type KubeObject, keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { IndexFunction, Lister } from './informer.js';

/** The one index that every store has. */
export const namespaceIndex = 'namespace';

/** Index value → the objects found under it. */
type Buckets<T> = Map<string, Map<ObjectKey, T>>;

interface Index<T> {
  readonly function: IndexFunction<T>;
  /** The same, but it never throws. */
  readonly of: IndexFunction<T>;
  readonly buckets: Buckets<T>;
}

/** Called when an index function throws. The object is then missing from that index only. */
export type OnIndexFailure = (index: string, error: unknown) => void;

/** Objects by key, and by any number of indexes. Every index holds exactly the objects of the store. */
export class IndexedStore<T extends KubeObject> implements Lister<T> {
  readonly #objects = new Map<ObjectKey, T>();
  readonly #indexes = new Map<string, Index<T>>();
  /** The last result of `list`; dropped at each change. A caller that lists twice between changes gets one array. */
  #listed: readonly T[] | undefined;
  readonly #onIndexFailure: OnIndexFailure | undefined;

  constructor(onIndexFailure?: OnIndexFailure) {
    this.#onIndexFailure = onIndexFailure;
    this.addIndex(namespaceIndex, (object) => [object.metadata.namespace ?? '']);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#objects.keys();
  }

  list(namespace?: string): readonly T[] {
    if (namespace !== undefined && namespace !== '') return this.byIndex(namespaceIndex, namespace);
    this.#listed ??= [...this.#objects.values()];
    return this.#listed;
  }

  byIndex(index: string, value: string): readonly T[] {
    const bucket = this.#index(index).buckets.get(value);
    return bucket ? [...bucket.values()] : [];
  }

  /** Keys instead of objects. */
  keysByIndex(index: string, value: string): readonly ObjectKey[] {
    return [...(this.#index(index).buckets.get(value)?.keys() ?? [])];
  }

  /** Every value under which some object is found. */
  indexValues(index: string): readonly string[] {
    return [...this.#index(index).buckets.keys()];
  }

  /** Objects that share at least one value of this index with `object`. */
  sharing(index: string, object: T): readonly T[] {
    const { of, buckets } = this.#index(index);
    const found = new Map<ObjectKey, T>();
    for (const value of of(object)) for (const [key, other] of buckets.get(value) ?? []) found.set(key, other);
    return [...found.values()];
  }

  /** May be called at any time: existing objects are indexed. A name has one function, so another one is an error. */
  addIndex(name: string, of: IndexFunction<T>): void {
    const entry = this.#indexes.get(name);
    if (entry?.function === of) return;
    if (entry) throw new Error(`index ${name} exists with another function`);
    const index: Index<T> = { function: of, of: (object) => this.#valuesOf(name, of, object), buckets: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) insert(index, key, object);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Replaces the stored object with `object`, and returns the stored one. */
  put(object: T, key = keyOf(object)): T | undefined {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#listed = undefined;
    for (const index of this.#indexes.values()) {
      if (previous) replace(index, key, { object, previous });
      else insert(index, key, object);
    }
    return previous;
  }

  delete(key: ObjectKey): T | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    this.#listed = undefined;
    for (const index of this.#indexes.values()) remove(index, key, previous);
    return previous;
  }

  #valuesOf(name: string, of: IndexFunction<T>, object: T): readonly string[] {
    try {
      return of(object);
    } catch (error) {
      this.#onIndexFailure?.(name, error);
      return [];
    }
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`index with name ${name} does not exist`);
    return index;
  }
}

function insert<T>({ of, buckets }: Index<T>, key: ObjectKey, object: T): void {
  for (const value of of(object)) {
    const bucket = buckets.get(value);
    if (bucket) bucket.set(key, object);
    else buckets.set(value, new Map([[key, object]]));
  }
}

/** Most updates of an object do not change its index values. */
function replace<T>(index: Index<T>, key: ObjectKey, { object, previous }: { object: T; previous: T }): void {
  const values = index.of(object);
  const before = index.of(previous);
  if (values.length !== before.length || values.some((value, i) => value !== before[i])) remove(index, key, previous);
  insert(index, key, object);
}

function remove<T>({ of, buckets }: Index<T>, key: ObjectKey, object: T): void {
  for (const value of of(object)) {
    const bucket = buckets.get(value);
    if (!bucket) continue;
    bucket.delete(key);
    if (bucket.size === 0) buckets.delete(value);
  }
}
