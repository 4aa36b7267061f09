import { deepEqual, isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';
import { isBare } from './compare.js';
import { emptyObject } from './empty-object.js';
import { difference, emptySet, type FieldSet, isEmptySet, leaf, recursiveDifference } from './field-set.js';
import { addedNode, nodeBelow, nodeOfFields } from './fields-of.js';
import { unownedFields } from './ownership.js';
import { type Shape, type StructShape, settle, shapeOf } from './shape.js';

export interface CreatedObject {
  readonly object: object;
  readonly schema: Schema;
  /** Fields that the request cannot set, including everything below them. */
  readonly resetFields: FieldSet | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** The owned fields of immutable values, each of which is at one path only: a cache and not state. */
const lasting = new WeakMap<object, { node: FieldSet | undefined; isKnown: boolean }>();

/** Says that a field of an object never changes, however many objects it will be a field of. */
export function neverChanges(value: object): void {
  lasting.set(value, { node: undefined, isKnown: false });
}

/**
 * The fields that the creator of an object owns: the same result as a comparison with the empty object of its type, in
 * one pass over the object. Most objects have no other managers.
 */
export function createdFields({ object, schema, resetFields = emptySet }: CreatedObject): FieldSet {
  const place = { shape: shapeOf(schema), unowned: unownedFields, isWhole: true };
  const created = createdNode(object, emptyObject(schema), place) ?? emptySet;
  for (const element in resetFields) if (created[element]) return recursiveDifference(created, resetFields);
  return created;
}

interface Place {
  readonly shape: Shape;
  /** The fields that no manager owns. */
  readonly unowned: FieldSet | undefined;
  /** Set for the object itself. */
  readonly isWhole?: boolean;
}

/** The owned fields of a value whose empty form is `frame`; `undefined` if there are none. */
function createdNode(value: unknown, frame: unknown, place: Place): FieldSet | undefined {
  const { shape, unowned } = place;
  if (frame === undefined) return addedNode(value, shape);
  const settled = settle(shape, value);
  if (settled.kind === 'struct' && isRecord(value)) return framedNode(value, frame, { ...place, shape: settled });
  if (settled.kind === 'leaf' || isBare(value)) return deepEqual(value, frame) ? undefined : leaf;
  const below = nodeBelow(value, settled) ?? emptySet;
  const owned = unowned ? difference(below, unowned) : below;
  return isEmptySet(owned) ? undefined : owned;
}

function framedNode(
  value: Fields,
  frame: unknown,
  { shape, unowned, isWhole }: Place & { readonly shape: StructShape },
): FieldSet | undefined {
  const held = isRecord(frame) ? frame : {};
  const elements: string[] = [];
  const nodes: FieldSet[] = [];
  for (const field of shape.fieldsOf(value).fields) {
    const child = value[field.name];
    const notOwned = unowned?.[field.element];
    if (child === undefined || (notOwned && isEmptySet(notOwned))) continue;
    // What is not owned itself is a frame, even if an empty object lacks it.
    const within = notOwned && held[field.name] === undefined ? {} : held[field.name];
    const place = { shape: field.shape, unowned: notOwned };
    const node = isWhole ? fieldNode(child, within, place) : createdNode(child, within, place);
    if (node === undefined) continue;
    elements.push(field.element);
    nodes.push(node);
  }
  return nodeOfFields(elements, nodes, shape);
}

/** The same for a field of the object itself, which may be cached. */
function fieldNode(value: unknown, frame: unknown, place: Place): FieldSet | undefined {
  const entry = isRecord(value) ? lasting.get(value) : undefined;
  if (entry?.isKnown) return entry.node;
  const node = createdNode(value, frame, place);
  if (entry) Object.assign(entry, { node, isKnown: true });
  return node;
}
