import { CelList, type CelValue } from './cel-value.js';

/** A list of values. Appending to the newest list of a chain costs as much as what is appended. */
export class ValueList extends CelList {
  readonly size: number;
  readonly #items: CelValue[];

  constructor(items: CelValue[], keyOf?: (item: CelValue) => string) {
    super(keyOf);
    this.#items = items;
    this.size = items.length;
  }

  at(index: number): CelValue {
    return this.#items[index] as CelValue;
  }

  /** A list with the others after these. The items are shared, as the items of a list are never changed. */
  append(others: CelList): ValueList {
    const items = this.#items.length === this.size ? this.#items : this.#items.slice(0, this.size);
    for (const item of others) items.push(item);
    return new ValueList(items);
  }
}

/** Two lists one after another, not copied: doubling a list again and again takes no memory. */
class JoinedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): CelValue {
    let list: CelList = this;
    while (list instanceof JoinedList) {
      const inFirst: boolean = index < list.#first.size;
      if (!inFirst) index -= list.#first.size;
      list = inFirst ? list.#first : list.#second;
    }
    return list.at(index);
  }
}

/** Converts a JSON value to CEL. */
export type FromJson = (json: unknown) => CelValue;

export class JsonList extends CelList {
  readonly json: readonly unknown[];
  readonly #item: FromJson;

  constructor(json: readonly unknown[], item: FromJson, keyOf?: (item: CelValue) => string) {
    super(keyOf);
    this.json = json;
    this.#item = item;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): CelValue {
    return this.#item(this.json[index]);
  }
}

/** Longer lists are joined and not copied. */
const copiedUpTo = 32;

export function joinLists(first: CelList, second: CelList): CelList {
  if (first.keyOf) return mergeByKey(first, second, first.keyOf);
  if (second.size === 0) return first;
  if (second.size > copiedUpTo) return new JoinedList(first, second);
  if (first instanceof ValueList) return first.append(second);
  return first.size > copiedUpTo ? new JoinedList(first, second) : new ValueList([...first, ...second]);
}

/** Items of the second list take the places of those with the same key. The result is keyed, too. */
function mergeByKey(first: CelList, second: CelList, keyOf: (item: CelValue) => string): CelList {
  const merged = new Map<string, CelValue>();
  for (const item of first) merged.set(keyOf(item), item);
  for (const item of second) merged.set(keyOf(item), item);
  return new ValueList([...merged.values()], keyOf);
}
