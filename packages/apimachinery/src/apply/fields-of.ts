import { isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { emptySet, type FieldSet, leaf, type MutableFieldSet, sorted } from './field-set.js';
import { KeylessItem } from './list-items.js';
import { fieldElement, sortedText } from './path-element.js';
import {
  type FieldShape,
  type KeyedShape,
  type MapShape,
  type Shape,
  type StructShape,
  settle,
  shapeOf,
} from './shape.js';

/**
 * The fields that an object speaks of, as an applied configuration owns them: every leaf, every key of a map and item
 * of a list, and objects only where they are empty.
 */
export function fieldsOf(object: unknown, schema: Schema): FieldSet {
  return ownedNode(object, shapeOf(schema), { self: false, every: false }) ?? emptySet;
}

/** The subtree of a value that was not there before: each node on the way is new, so each belongs to the set. */
export function addedNode(value: unknown, shape: Shape): FieldSet {
  return ownedNode(value, shape, { self: true, every: true }) ?? leaf;
}

type Fields = Readonly<Record<string, unknown>>;

interface Ownership {
  /** Whether the value's own element belongs to the set. */
  readonly self: boolean;
  /** Whether every element below does, too. */
  readonly every: boolean;
}

const selfAndEvery: Ownership = { self: true, every: true };
const selfOnly: Ownership = { self: true, every: false };
const belowOnly: Ownership = { self: false, every: false };

function ownedNode(value: unknown, untypedShape: Shape, owned: Ownership): FieldSet | undefined {
  const shape = settle(untypedShape, value);
  switch (shape.kind) {
    case 'leaf':
      return leaf;
    case 'set':
      return ownedList(value, shape, owned);
    case 'keyed':
      return ownedList(value, shape, owned);
    default:
      return isRecord(value) ? ownedFields(value, shape, owned) : owned.self ? leaf : undefined;
  }
}

function ownedFields(value: Fields, shape: StructShape | MapShape, owned: Ownership): FieldSet | undefined {
  if (shape.kind === 'struct') return ownedNamed(value, shape, owned);
  const node: MutableFieldSet = owned.self ? { '.': leaf } : {};
  if (addKeys(node, value, shape, owned)) return node;
  return owned.self ? leaf : undefined;
}

function ownedNamed(value: Fields, shape: StructShape, owned: Ownership): FieldSet | undefined {
  const { fields, leaves } = shape.fieldsOf(value);
  if (leaves !== undefined && owned.self && hasAll(value, fields)) return fields.length === 0 ? leaf : leaves;
  const node: MutableFieldSet = owned.self ? { '.': leaf } : {};
  let any = false;
  for (const field of fields) {
    const child = value[field.name];
    if (child === undefined) continue;
    const below = isBlank(child) ? leaf : ownedNode(child, field.shape, childOwnership(owned, field.named));
    if (below === undefined) continue;
    node[field.element] = below;
    any = true;
  }
  if (any) return node;
  return owned.self ? leaf : undefined;
}

/** Whether no field is there without a value. */
function hasAll(value: Fields, fields: readonly FieldShape[]): boolean {
  for (const { name } of fields) if (value[name] === undefined) return false;
  return true;
}

function addKeys(node: MutableFieldSet, value: Fields, shape: MapShape, owned: Ownership): boolean {
  let any = false;
  for (const name of sortedText(Object.keys(value))) {
    const child = value[name];
    if (child === undefined) continue;
    const below = isBlank(child) ? leaf : ownedNode(child, shape.values, childOwnership(owned, false));
    if (below === undefined) continue;
    node[fieldElement(name)] = below;
    any = true;
  }
  return any;
}

function childOwnership(owned: Ownership, named: boolean): Ownership {
  if (owned.every) return selfAndEvery;
  return named ? belowOnly : selfOnly;
}

/** `null` and `{}` say something about a field itself, since they say nothing about what is in it. */
function isBlank(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

function ownedList(
  value: unknown,
  shape: KeyedShape | { kind: 'set'; elementOf(item: unknown): string | undefined },
  owned: Ownership,
): FieldSet | undefined {
  const node: MutableFieldSet = owned.self ? { '.': leaf } : {};
  let any = false;
  for (const item of Array.isArray(value) ? value : []) {
    const element = shape.elementOf(item);
    if (element === undefined) throw new KeylessItem();
    any = true;
    // Items with the same key cannot be told apart, so they are owned together and as a whole.
    if (shape.kind === 'set' || node[element] !== undefined) node[element] = leaf;
    else node[element] = ownedNode(item, shape.items, owned.every ? selfAndEvery : selfOnly) ?? leaf;
  }
  if (any) return sorted(node);
  return owned.self ? leaf : undefined;
}
