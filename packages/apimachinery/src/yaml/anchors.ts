import type { Cursor } from './cursor.js';
import { put } from './mapping.js';

interface Anchor {
  /** Undefined as long as the node is being read. */
  readonly value?: unknown;
  /** How many nodes the value is made of. */
  readonly size: number;
}

/** The anchored nodes of a document. */
export class Anchors {
  readonly #cursor: Cursor;
  readonly #maxDepth: number;
  readonly #byName = new Map<string, Anchor | undefined>();
  #aliased = 0;

  constructor(cursor: Cursor, maxDepth: number) {
    this.#cursor = cursor;
    this.#maxDepth = maxDepth;
  }

  open(name: string): void {
    this.#byName.set(name, undefined);
  }

  close(name: string, anchor: Anchor): void {
    this.#byName.set(name, anchor);
  }

  /** A copy of the aliased value, since JSON has no references. */
  copy(name: string, at: { depth: number; nodes: number }): Required<Anchor> {
    const anchor = this.#byName.get(name);
    if (!anchor) {
      const why = this.#byName.has(name)
        ? `anchor '${name}' value contains itself`
        : `unknown anchor '${name}' referenced`;
      return this.#cursor.fail(why);
    }
    this.#aliased += anchor.size;
    if (isExcessive(this.#aliased, at.nodes + anchor.size)) this.#cursor.fail('document contains excessive aliasing');
    return { value: this.#copyOf(anchor.value, at.depth), size: anchor.size };
  }

  #copyOf(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= this.#maxDepth) this.#cursor.fail('exceeded max depth');
    if (Array.isArray(value)) return value.map((item) => this.#copyOf(item, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const key in value) put(copy, key, this.#copyOf((value as Record<string, unknown>)[key], depth + 1));
    return copy;
  }
}

/** Small documents may consist of aliases nearly all, large ones only to a tenth. */
const smallDocument = 400_000;
const largeDocument = 4_000_000;

/** The rule of the Go tools for how many of a document's nodes may come from aliases. */
function isExcessive(aliased: number, nodes: number): boolean {
  if (aliased <= 100 || nodes <= 1_000) return false;
  const size = Math.min(Math.max(nodes, smallDocument), largeDocument);
  const allowed = 0.99 - (0.89 * (size - smallDocument)) / (largeDocument - smallDocument);
  return aliased / nodes > allowed;
}
