import type { KeyedShape, SetShape } from './shape.js';

/** Several items of one list that have the same key, or are the same value. */
export class Repeated {
  readonly items: unknown[];

  constructor(items: unknown[]) {
    this.items = items;
  }

  /** Whatever was found under one element, as a list. */
  static itemsOf(found: unknown): readonly unknown[] {
    if (found === undefined) return [];
    return found instanceof Repeated ? found.items : [found];
  }
}

/** An item of an associative list has none of the list's keys, so managers cannot own anything in it. */
export class KeylessItem extends Error {
  override readonly name: string = 'KeylessItem';

  constructor() {
    super('an item of a list lacks the keys of the list');
  }
}

/**
 * The items of a list by their path element, in order. Items that have none are left out or, if `all` of them are
 * wanted, thrown as a KeylessItem.
 */
export function indexItems(list: unknown, shape: SetShape | KeyedShape, extent?: 'all'): Map<string, unknown> {
  const index = new Map<string, unknown>();
  if (!Array.isArray(list)) return index;
  for (const item of list) {
    const element = shape.elementOf(item);
    if (element === undefined) {
      if (extent === 'all') throw new KeylessItem();
      continue;
    }
    const other = index.get(element);
    if (other === undefined) index.set(element, item);
    else if (other instanceof Repeated) other.items.push(item);
    else index.set(element, new Repeated([other, item]));
  }
  return index;
}
