import { compareElements, sortedElements } from './path-element.js';

/**
 * A set of field paths, in the very form of `fieldsV1` in `metadata.managedFields`: a tree of path elements such as
 * `f:name`, `k:{"name":"web"}`, `v:"x"` and `i:0`. Sets are values: no operation changes one, and results share parts.
 *
 * An element that is in the set and has elements of the set below it holds `"."`; one that is in the set and has none
 * below it is `{}`; one that is only on the way to others holds just these. So `{"f:a": {"f:b": {}}}` has the path
 * `.a.b`, and `{"f:a": {".": {}, "f:b": {}}}` has `.a` too. The root is on the way and never in the set: `{}` is the
 * empty set.
 *
 * Elements stand in the order in which upstream writes them, everywhere and always, so that a set is its own encoding.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set under construction. A caller that fills it without minding the order passes it through `sorted`. */
export type MutableFieldSet = Record<string, FieldSet>;

/** The element itself, without anything below. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet: FieldSet = leaf;

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the element whose subtree this is belongs to the set. */
export function isMember(node: FieldSet): boolean {
  return node['.'] !== undefined || isEmptySet(node);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  return isEmptySet(a) ? b : join(a, b);
}

function join(a: FieldSet, b: FieldSet): FieldSet {
  const joined: MutableFieldSet = { ...a };
  let grown = false;
  for (const element in b) {
    const other = b[element] as FieldSet;
    const own = a[element];
    if (own === undefined) grown = true;
    joined[element] = own === undefined ? other : unionNodes(own, other);
  }
  return grown ? sorted(joined) : joined;
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmptySet(a)) return withSelf(b);
  return isEmptySet(b) ? withSelf(a) : join(a, b);
}

function withSelf(node: FieldSet): FieldSet {
  return isMember(node) ? node : { '.': leaf, ...node };
}

/** The paths of `a` that are not in `b`. Paths below those of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return emptySet;
  return isEmptySet(b) ? a : combine(a, b, { without: stays, self: (own, other) => own && !other });
}

/** The paths of `a` that are not in `b` nor below a path of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, { without: stays, self: (own, other) => own && !other, cuts: true });
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return isEmptySet(a) || isEmptySet(b)
    ? emptySet
    : combine(a, b, { without: goes, self: (own, other) => own && other });
}

interface Combination {
  /** What happens to a subtree that the other set does not have. */
  readonly without: (node: FieldSet) => FieldSet | undefined;
  readonly self: (own: boolean, other: boolean) => boolean;
  /** Whether a path of the other set takes everything below it, too. */
  readonly cuts?: boolean;
}

const stays = (node: FieldSet): FieldSet => node;
const goes = (): undefined => undefined;

function combine(a: FieldSet, b: FieldSet, how: Combination): FieldSet {
  const combined: MutableFieldSet = {};
  for (const element in a) {
    if (element === '.') continue;
    const own = a[element] as FieldSet;
    const other = b[element];
    const result = other === undefined ? how.without(own) : combineNodes(own, other, how);
    if (result !== undefined) combined[element] = result;
  }
  return combined;
}

function combineNodes(own: FieldSet, other: FieldSet, how: Combination): FieldSet | undefined {
  const otherIsMember = isMember(other);
  if (how.cuts && otherIsMember) return undefined;
  const member = how.self(isMember(own), otherIsMember);
  const below = combine(own, other, how);
  if (isEmptySet(below)) return member ? leaf : undefined;
  return member ? { '.': leaf, ...below } : below;
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const element in a) {
    const other = b[element];
    if (other === undefined || !sameSet(a[element] as FieldSet, other)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** The paths of a set that have no other path of it below them. */
export function leaves(set: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element] as FieldSet;
    result[element] = isEmptySet(node) ? leaf : leaves(node);
  }
  return result;
}

/**
 * Every path of the set, as its elements. At each level the paths that end there come first, as upstream lists them.
 */
export function pathsOf(set: FieldSet): string[][] {
  const paths: string[][] = [];
  collectPaths(set, [], paths);
  return paths;
}

function collectPaths(node: FieldSet, prefix: readonly string[], paths: string[][]): void {
  const elements = Object.keys(node).filter((element) => element !== '.');
  for (const element of elements) if (isMember(node[element] as FieldSet)) paths.push([...prefix, element]);
  for (const element of elements) collectPaths(node[element] as FieldSet, [...prefix, element], paths);
}

/** The set with its own elements in order; those below must be so already. */
export function sorted(set: MutableFieldSet): FieldSet {
  const elements = Object.keys(set);
  if (isSorted(elements)) return set;
  const ordered: MutableFieldSet = {};
  for (const element of sortedElements(elements)) ordered[element] = set[element] as FieldSet;
  return ordered;
}

function isSorted(elements: readonly string[]): boolean {
  for (let i = 1; i < elements.length; i++)
    if (compareElements(elements[i - 1] as string, elements[i] as string) > 0) return false;
  return true;
}
