import type { Element } from './plan-service.js';

export interface ElementChanges {
  readonly removed: readonly Element[];
  readonly added: readonly Element[];
}

/**
 * The elements of the maps of a table, and their services. Two services may need one element: it stays until the last of them
 * removes it, and of two with different values the first by name wins, as long as it exists.
 */
export class ElementTable {
  /** Map and key → owner → value. */
  readonly #elements = new Map<string, Map<string, string>>();
  /** Owner → its elements, by map and key. */
  readonly #owned = new Map<string, Map<string, Element>>();
  /** Map and key → the value before the first change that has not been taken yet. */
  readonly #changed = new Map<string, string | undefined>();

  get size(): number {
    return this.#elements.size;
  }

  /** Whether there are changes that have not been taken yet. */
  get isChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Replaces the elements of the owner. */
  replace(owner: string, elements: readonly Element[]): void {
    const before = this.#owned.get(owner) ?? new Map<string, Element>();
    const after = new Map(elements.map((element) => [idOf(element), element]));
    for (const id of before.keys()) if (!after.has(id)) this.#put(id, owner, undefined);
    for (const [id, { value }] of after) if (before.get(id)?.value !== value) this.#put(id, owner, value);
    if (after.size > 0) this.#owned.set(owner, after);
    else this.#owned.delete(owner);
  }

  /** Net changes since the last call. */
  takeChanges(): ElementChanges {
    const removed: Element[] = [];
    const added: Element[] = [];
    for (const [id, was] of this.#changed) {
      const now = this.#value(id);
      if (was === now) continue;
      if (was !== undefined) removed.push(elementOf(id, was));
      if (now !== undefined) added.push(elementOf(id, now));
    }
    this.#changed.clear();
    return { removed, added };
  }

  /** Everything, for a table that is written again. */
  all(): Element[] {
    return [...this.#elements.keys()].map((id) => elementOf(id, this.#value(id) ?? ''));
  }

  #put(id: string, owner: string, value: string | undefined): void {
    if (!this.#changed.has(id)) this.#changed.set(id, this.#value(id));
    const owners = this.#elements.get(id) ?? new Map<string, string>();
    if (value === undefined) owners.delete(owner);
    else owners.set(owner, value);
    if (owners.size > 0) this.#elements.set(id, owners);
    else this.#elements.delete(id);
  }

  #value(id: string): string | undefined {
    const owners = this.#elements.get(id);
    if (!owners || owners.size === 0) return undefined;
    if (owners.size === 1) return owners.values().next().value;
    const [first] = [...owners.keys()].sort();
    return owners.get(first ?? '');
  }
}

function idOf({ map, key }: Element): string {
  return `${map}\t${key}`;
}

function elementOf(id: string, value: string): Element {
  const [map = '', key = ''] = id.split('\t');
  return { map, key, value };
}
