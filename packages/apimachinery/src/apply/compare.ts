import { deepEqual, isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { type FieldSet, isEmptySet, leaf, type MutableFieldSet, recursiveDifference, sorted } from './field-set.js';
import { addedNode } from './fields-of.js';
import { indexItems, Repeated } from './list-items.js';
import { fieldElement } from './path-element.js';
import { type DeducedShape, type KeyedShape, type SetShape, type Shape, settle, shapeOf } from './shape.js';

/** What differs between two objects of one type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareObjects(before: unknown, after: unknown, schema: Schema): Comparison {
  const found = new Differences();
  if (before !== after) compareGranular(before, after, shapeOf(schema), found);
  return { added: sorted(found.added), modified: sorted(found.modified), removed: sorted(found.removed) };
}

/** A comparison without the fields that do not count, and all below them. */
export function excludeFields(comparison: Comparison, ignored: FieldSet | undefined): Comparison {
  if (ignored === undefined || isEmptySet(ignored)) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
  };
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
}

class Differences implements Comparison {
  readonly added: MutableFieldSet = {};
  readonly modified: MutableFieldSet = {};
  readonly removed: MutableFieldSet = {};

  attach(element: string, below: Differences): void {
    if (!isEmptySet(below.added)) this.added[element] = sorted(below.added);
    if (!isEmptySet(below.modified)) this.modified[element] = sorted(below.modified);
    if (!isEmptySet(below.removed)) this.removed[element] = sorted(below.removed);
  }
}

/** Compares what stands at one element; `undefined` is absent, `null` is a value. */
function compareAt(element: string, before: unknown, after: unknown, at: { shape: Shape; found: Differences }): void {
  if (before === after) return;
  const { shape, found } = at;
  if (before === undefined) found.added[element] = addedNode(after, shape);
  else if (after === undefined) found.removed[element] = addedNode(before, shape);
  else if (isOwnedAsWhole(before, after, shape)) {
    if (!deepEqual(before, after)) found.modified[element] = leaf;
  } else {
    const below = new Differences();
    compareGranular(before, after, shape, below);
    found.attach(element, below);
  }
}

/** True for leaves, and for containers of which neither side holds anything. */
function isOwnedAsWhole(before: unknown, after: unknown, shape: Shape): boolean {
  if (settle(shape, before).kind === 'leaf' || settle(shape, after).kind === 'leaf') return true;
  return isBare(before) && isBare(after);
}

function isBare(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  for (const _ in value) return false;
  return true;
}

function compareGranular(before: unknown, after: unknown, shape: Shape, found: Differences): void {
  const settled = settle(shape, before ?? after);
  if (settled.kind === 'leaf') return;
  if (settled.kind === 'set' || settled.kind === 'keyed') compareLists(before, after, settled, found);
  else compareFields(before, after, settled, found);
}

type Settled = Exclude<Shape, DeducedShape>;

function compareFields(before: unknown, after: unknown, shape: Settled, found: Differences): void {
  const old = isRecord(before) ? before : {};
  const now = isRecord(after) ? after : {};
  for (const name of Object.keys(old))
    compareField(name, old[name], Object.hasOwn(now, name) ? now[name] : undefined, { shape, found });
  for (const name of Object.keys(now))
    if (!Object.hasOwn(old, name)) compareField(name, undefined, now[name], { shape, found });
}

function compareField(name: string, before: unknown, after: unknown, at: { shape: Settled; found: Differences }): void {
  if (before === after) return;
  if (at.shape.kind === 'struct') {
    const field = at.shape.field(name);
    compareAt(field.element, before, after, { shape: field.shape, found: at.found });
  } else if (at.shape.kind === 'map')
    compareAt(fieldElement(name), before, after, { shape: at.shape.values, found: at.found });
}

function compareLists(before: unknown, after: unknown, shape: SetShape | KeyedShape, found: Differences): void {
  const old = indexItems(before, shape);
  const now = indexItems(after, shape);
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
  if (old.length === 0) at.found.added[element] = leaf;
  else if (now.length === 0) at.found.removed[element] = leaf;
  else if (!deepEqual(old, now)) at.found.modified[element] = leaf;
}
