import { deepEqual, isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import {
  emptySet,
  type FieldSet,
  isEmptySet,
  leaf,
  type MutableFieldSet,
  recursiveDifference,
  sorted,
} from './field-set.js';
import { addedNode, nodeBelow } from './fields-of.js';
import { indexItems, Repeated } from './list-items.js';
import { fieldElement } from './path-element.js';
import { type KeyedShape, type SetShape, type Settled, type Shape, settle, shapeOf } from './shape.js';

/** The differences between two objects of one type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareObjects(before: unknown, after: unknown, schema: Schema): Comparison {
  const found = new Differences();
  if (before !== after) compareGranular(...withoutSame(before, after), shapeOf(schema), found);
  const { added, modified, removed } = found;
  return { added: sortedOrEmpty(added), modified: sortedOrEmpty(modified), removed: sortedOrEmpty(removed) };
}

function sortedOrEmpty(set: MutableFieldSet | undefined): FieldSet {
  return set === undefined ? emptySet : sorted(set);
}

/** Both without the fields that are the same in both: most are, and to see that is far cheaper than to compare their parts. */
function withoutSame(before: unknown, after: unknown): [unknown, unknown] {
  if (!isRecord(before) || !isRecord(after)) return [before, after];
  // A plain assignment to this one key would change the prototype instead.
  if (Object.hasOwn(before, '__proto__') || Object.hasOwn(after, '__proto__')) return [before, after];
  const old: Record<string, unknown> = {};
  const now: Record<string, unknown> = {};
  for (const name in before) if (!deepEqual(before[name], after[name])) old[name] = before[name];
  for (const name in after) if (name in old || before[name] === undefined) now[name] = after[name];
  return [old, now];
}

/** A comparison without the fields that do not count, and all below them. */
export function excludeFields(comparison: Comparison, ignored: FieldSet | undefined): Comparison {
  if (ignored === undefined || !touches(comparison, ignored)) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
  };
}

function touches({ added, modified, removed }: Comparison, ignored: FieldSet): boolean {
  for (const element in ignored) if (added[element] ?? modified[element] ?? removed[element]) return true;
  return false;
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
}

/** The differences at one place; most places have none. */
class Differences {
  added: MutableFieldSet | undefined;
  modified: MutableFieldSet | undefined;
  removed: MutableFieldSet | undefined;

  add(kind: keyof Comparison, element: string, node: FieldSet): void {
    const set = this[kind] ?? {};
    this[kind] = set;
    set[element] = node;
  }

  attach(element: string, { added, modified, removed }: Differences): void {
    if (added) this.add('added', element, sorted(added));
    if (modified) this.add('modified', element, sorted(modified));
    if (removed) this.add('removed', element, sorted(removed));
  }
}

/** Compares the values at one element; `undefined` is absent, `null` is a value. */
function compareAt(element: string, before: unknown, after: unknown, at: { shape: Shape; found: Differences }): void {
  if (before === after) return;
  const { shape, found } = at;
  if (before === undefined) found.add('added', element, addedNode(after, shape));
  else if (after === undefined) found.add('removed', element, addedNode(before, shape));
  else if (isOwnedAsWhole(before, after, shape)) {
    if (!deepEqual(before, after)) addReplaced(element, before, after, at);
  } else {
    const below = new Differences();
    compareGranular(before, after, shape, below);
    found.attach(element, below);
  }
}

/** A replaced value: the content of the old untyped object was removed, and the content of the new one added. */
function addReplaced(element: string, before: unknown, after: unknown, at: { shape: Shape; found: Differences }): void {
  const { shape, found } = at;
  found.add('modified', element, leaf);
  if (shape.kind !== 'deduced' || before === null || after === null) return;
  const gone = nodeBelow(before, shape);
  const come = nodeBelow(after, shape);
  if (gone && isRecord(before)) found.add('removed', element, gone);
  if (come && isRecord(after)) found.add('added', element, come);
}

/** True for leaves, and for containers of which neither side holds anything. */
function isOwnedAsWhole(before: unknown, after: unknown, shape: Shape): boolean {
  if (settle(shape, before).kind === 'leaf' || settle(shape, after).kind === 'leaf') return true;
  return isBare(before) && isBare(after);
}

/** Whether it contains nothing that could be owned separately. */
export function isBare(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function compareGranular(before: unknown, after: unknown, shape: Shape, found: Differences): void {
  const settled = settle(shape, before ?? after);
  if (settled.kind === 'leaf') return;
  if (settled.kind === 'set' || settled.kind === 'keyed') compareLists(before, after, settled, found);
  else compareFields(before, after, settled, found);
}

function compareFields(before: unknown, after: unknown, shape: Settled, found: Differences): void {
  const old = isRecord(before) ? before : {};
  const now = isRecord(after) ? after : {};
  for (const name in old) {
    const was = old[name];
    const is = Object.hasOwn(now, name) ? now[name] : undefined;
    if (was !== is) compareField(name, was, is, { shape, found });
  }
  for (const name in now) if (!Object.hasOwn(old, name)) compareField(name, undefined, now[name], { shape, found });
}

function compareField(name: string, before: unknown, after: unknown, at: { shape: Settled; found: Differences }): void {
  if (at.shape.kind === 'struct') {
    const field = at.shape.field(name);
    compareAt(field.element, before, after, { shape: field.shape, found: at.found });
  } else if (at.shape.kind === 'map')
    compareAt(fieldElement(name), before, after, { shape: at.shape.values, found: at.found });
}

function compareLists(before: unknown, after: unknown, shape: SetShape | KeyedShape, found: Differences): void {
  // Most lists are unchanged, which is much faster to detect than their differences.
  if (deepEqual(before, after)) return;
  const old = indexItems(before, shape, 'all');
  const now = indexItems(after, shape, 'all');
  const items: Shape = shape.kind === 'keyed' ? shape.items : { kind: 'leaf' };
  for (const [element, item] of old) compareItem(element, item, now.get(element), { shape: items, found });
  for (const [element, item] of now)
    if (!old.has(element)) compareItem(element, undefined, item, { shape: items, found });
}

/** Items that share their key are compared together, and as a whole. */
function compareItem(element: string, before: unknown, after: unknown, at: { shape: Shape; found: Differences }): void {
  if (!(before instanceof Repeated) && !(after instanceof Repeated)) {
    compareAt(element, before, after, at);
    return;
  }
  const [old, now] = [Repeated.itemsOf(before), Repeated.itemsOf(after)];
  if (old.length === 0) at.found.add('added', element, leaf);
  else if (now.length === 0) at.found.add('removed', element, leaf);
  else if (!deepEqual(old, now)) at.found.add('modified', element, leaf);
}
