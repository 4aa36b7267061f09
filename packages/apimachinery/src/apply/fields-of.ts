import { isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { emptySet, type FieldSet, leaf } from './field-set.js';
import { KeylessItem } from './list-items.js';
import { fieldElement } from './path-element.js';
import { NodeMaker } from './recalled-sets.js';
import {
  type FieldShape,
  type KeyedShape,
  type LeafShape,
  type MapShape,
  type SetShape,
  type Settled,
  type Shape,
  type StructShape,
  settle,
  shapeOf,
} from './shape.js';

/**
 * The fields that an object sets, as an applied configuration owns them: every leaf, every key of a map and item
 * of a list, and objects only where they are empty.
 */
export function fieldsOf(object: unknown, schema: Schema): FieldSet {
  return ownedNode(object, shapeOf(schema), { self: false, every: false }) ?? emptySet;
}

/** The subtree of a new value: each node is new, so each belongs to the set. */
export function addedNode(value: unknown, shape: Shape): FieldSet {
  return ownedNode(value, shape, selfAndEvery) ?? leaf;
}

/** The same without the value itself, which was there; `undefined` if nothing is below it. */
export function nodeBelow(value: unknown, shape: Shape): FieldSet | undefined {
  return ownedNode(value, shape, everyBelow);
}

/** The node of a value, itself not owned, of which these elements are. */
export function nodeOfFields(
  elements: readonly string[],
  nodes: readonly FieldSet[],
  shape: GranularShape,
): FieldSet | undefined {
  return nodeOf(elements, nodes, shape, everyBelow);
}

interface Ownership {
  /** Whether the value's own element belongs to the set. */
  readonly self: boolean;
  /** Whether every element below does, too. */
  readonly every: boolean;
}

const selfAndEvery: Ownership = { self: true, every: true };
const selfOnly: Ownership = { self: true, every: false };
const belowOnly: Ownership = { self: false, every: false };
const everyBelow: Ownership = { self: false, every: true };

type Fields = Readonly<Record<string, unknown>>;
type GranularShape = Exclude<Settled, LeafShape>;

/** Builders of the nodes of each type: with the element of the value itself, and without. */
const makers = new WeakMap<GranularShape, { readonly withSelf: NodeMaker; readonly without: NodeMaker }>();

function makerOf(shape: GranularShape, { self }: Ownership): NodeMaker {
  let both = makers.get(shape);
  if (!both) {
    both = { withSelf: new NodeMaker(), without: new NodeMaker() };
    makers.set(shape, both);
  }
  return self ? both.withSelf : both.without;
}

function ownedNode(value: unknown, untypedShape: Shape, owned: Ownership): FieldSet | undefined {
  const shape = settle(untypedShape, value);
  switch (shape.kind) {
    case 'leaf':
      return leaf;
    case 'set':
    case 'keyed':
      return ownedList(value, shape, owned);
    default:
      return isRecord(value) ? ownedFields(value, shape, owned) : owned.self ? leaf : undefined;
  }
}

function ownedFields(value: Fields, shape: StructShape | MapShape, owned: Ownership): FieldSet | undefined {
  return shape.kind === 'struct' ? ownedNamed(value, shape, owned) : ownedKeys(value, shape, owned);
}

function ownedNamed(value: Fields, shape: StructShape, owned: Ownership): FieldSet | undefined {
  const { fields, leaves } = shape.fieldsOf(value);
  if (leaves !== undefined && owned.self && hasAll(value, fields)) return fields.length === 0 ? leaf : leaves;
  const elements: string[] = owned.self ? ['.'] : [];
  const nodes: FieldSet[] = owned.self ? [leaf] : [];
  for (const field of fields) {
    const child = value[field.name];
    if (child === undefined) continue;
    const below = isBlank(child) ? leaf : ownedNode(child, field.shape, childOwnership(owned, field.named));
    if (below === undefined) continue;
    elements.push(field.element);
    nodes.push(below);
  }
  return nodeOf(elements, nodes, shape, owned);
}

/** Whether every field has a value. */
function hasAll(value: Fields, fields: readonly FieldShape[]): boolean {
  for (const { name } of fields) if (value[name] === undefined) return false;
  return true;
}

function ownedKeys(value: Fields, shape: MapShape, owned: Ownership): FieldSet | undefined {
  const elements: string[] = owned.self ? ['.'] : [];
  const nodes: FieldSet[] = owned.self ? [leaf] : [];
  for (const name in value) {
    const child = value[name];
    if (child === undefined) continue;
    const below = isBlank(child) ? leaf : ownedNode(child, shape.values, childOwnership(owned, false));
    if (below === undefined) continue;
    elements.push(fieldElement(name));
    nodes.push(below);
  }
  return nodeOf(elements, nodes, shape, owned);
}

/** A value without owned fields is owned itself, if possible. */
function nodeOf(
  elements: readonly string[],
  nodes: readonly FieldSet[],
  shape: GranularShape,
  owned: Ownership,
): FieldSet | undefined {
  if (elements.length > (owned.self ? 1 : 0)) return makerOf(shape, owned).make(elements, nodes);
  return owned.self ? leaf : undefined;
}

function childOwnership(owned: Ownership, named: boolean): Ownership {
  if (owned.every) return selfAndEvery;
  return named ? belowOnly : selfOnly;
}

/** `null` and `{}` own the field itself, since they own nothing inside it. */
function isBlank(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

function ownedList(value: unknown, shape: KeyedShape | SetShape, owned: Ownership): FieldSet | undefined {
  const elements: string[] = owned.self ? ['.'] : [];
  const nodes: FieldSet[] = owned.self ? [leaf] : [];
  const ofItems = owned.every ? selfAndEvery : selfOnly;
  for (const item of Array.isArray(value) ? value : []) {
    const element = shape.elementOf(item);
    if (element === undefined) throw new KeylessItem();
    elements.push(element);
    nodes.push(shape.kind === 'set' ? leaf : (ownedNode(item, shape.items, ofItems) ?? leaf));
  }
  const hasSeveral = elements.length > (owned.self ? 2 : 1);
  if (hasSeveral && new Set(elements).size < elements.length) joinRepeated(elements, nodes);
  return nodeOf(elements, nodes, shape, owned);
}

/** Items with the same key cannot be distinguished, so they are owned together and as a whole. */
function joinRepeated(elements: string[], nodes: FieldSet[]): void {
  const joined = new Map<string, FieldSet>();
  elements.forEach((element, i) => {
    joined.set(element, joined.has(element) ? leaf : (nodes[i] as FieldSet));
  });
  elements.splice(0, elements.length, ...joined.keys());
  nodes.splice(0, nodes.length, ...joined.values());
}
