import { isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { emptySet, type FieldSet, leaf, type MutableFieldSet, sorted } from './field-set.js';
import { fieldElement } from './path-element.js';
import { type KeyedShape, type Shape, settle, shapeOf } from './shape.js';

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

function ownedFields(
  value: Readonly<Record<string, unknown>>,
  shape: Exclude<ReturnType<typeof settle>, { kind: 'leaf' | 'set' | 'keyed' }>,
  owned: Ownership,
): FieldSet | undefined {
  const node: MutableFieldSet = owned.self ? { '.': leaf } : {};
  let any = false;
  for (const name of sortedNames(value)) {
    const child = value[name];
    if (child === undefined) continue;
    const field = shape.kind === 'struct' ? shape.field(name) : undefined;
    const below = isBlank(child)
      ? leaf
      : ownedNode(
          child,
          field?.shape ?? (shape as { values: Shape }).values,
          childOwnership(owned, field?.named ?? false),
        );
    if (below === undefined) continue;
    node[field?.element ?? fieldElement(name)] = below;
    any = true;
  }
  if (any) return node;
  return owned.self ? leaf : undefined;
}

function sortedNames(value: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(value);
  for (let i = 1; i < names.length; i++) if ((names[i - 1] as string) > (names[i] as string)) return names.sort();
  return names;
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
    if (element === undefined) continue;
    any = true;
    // Items with the same key cannot be told apart, so they are owned together and as a whole.
    if (shape.kind === 'set' || node[element] !== undefined) node[element] = leaf;
    else node[element] = ownedNode(item, shape.items, owned.every ? selfAndEvery : selfOnly) ?? leaf;
  }
  if (any) return sorted(node);
  return owned.self ? leaf : undefined;
}
