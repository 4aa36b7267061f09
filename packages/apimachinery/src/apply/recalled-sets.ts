import { type FieldSet, type MutableFieldSet, sameSet, sorted } from './field-set.js';

/** What one object's fields came to: the node, and what it was made from, in the object's own order. */
interface Recalled {
  readonly elements: readonly string[];
  readonly below: readonly FieldSet[];
  readonly node: FieldSet;
}

const mostRecalled = 4;
const mostElements = 64;

/**
 * Makes the nodes of one type, and remembers the last few. Objects come in series with the same fields: pods of one
 * template, status after status of one controller. Each of a series gets the very same node, which costs next to
 * nothing, and everything that is known of a node (its text, what it differs from) is known for all of them.
 *
 * What is remembered are immutable values, and forgetting them changes nothing but the time that it takes.
 */
export class NodeMaker {
  #recalled: Recalled[] = [];

  /** The node of these elements, each with what is below it. Both lists are the caller's again afterwards. */
  make(elements: readonly string[], below: readonly FieldSet[]): FieldSet {
    for (const one of this.#recalled) if (isMadeFrom(one, elements, below)) return one.node;
    const node: MutableFieldSet = {};
    for (let i = 0; i < elements.length; i++) node[elements[i] as string] = below[i] as FieldSet;
    const made = sorted(node);
    if (elements.length <= mostElements) this.#remember({ elements: [...elements], below: [...below], node: made });
    return made;
  }

  #remember(made: Recalled): void {
    if (this.#recalled.length === mostRecalled) this.#recalled.pop();
    this.#recalled.unshift(made);
  }
}

function isMadeFrom(one: Recalled, elements: readonly string[], below: readonly FieldSet[]): boolean {
  if (one.elements.length !== elements.length) return false;
  for (let i = 0; i < elements.length; i++) {
    if (one.below[i] !== below[i] || one.elements[i] !== elements[i]) return false;
  }
  return true;
}

const mostSets = 8;

/** The last few whole sets of one type, for the same reason. */
export class SetRecall {
  readonly #sets: FieldSet[] = [];

  /** An equal set that was seen before, or the argument. */
  of(set: FieldSet): FieldSet {
    for (const one of this.#sets) if (sameSet(one, set)) return one;
    if (this.#sets.length === mostSets) this.#sets.pop();
    this.#sets.unshift(set);
    return set;
  }
}
