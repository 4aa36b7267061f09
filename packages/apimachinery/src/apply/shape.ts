import { isRecord } from '@coracle/base';
import type { FieldSchema, ListSchema, ObjectSchema, ScalarType, Schema } from '../schema.js';
import { fieldElement, keyText, valueElement } from './path-element.js';

/**
 * What field ownership needs to know of a type: how far it is owned in parts. A `leaf` is owned as a whole: scalars and
 * whatever is atomic. A `deduced` value has no type, and its form tells: objects are maps, everything else is a leaf.
 */
export type Shape = LeafShape | StructShape | MapShape | SetShape | KeyedShape | DeducedShape;

export interface LeafShape {
  readonly kind: 'leaf';
}

export interface DeducedShape {
  readonly kind: 'deduced';
}

export interface StructShape {
  readonly kind: 'struct';
  /** Every name has one: what the type does not name is deduced. */
  field(name: string): FieldShape;
}

export interface FieldShape {
  readonly element: string;
  readonly shape: Shape;
  /** False for a field that the type does not name, which is owned as a key of a map is. */
  readonly named: boolean;
}

export interface MapShape {
  readonly kind: 'map';
  readonly values: Shape;
}

export interface SetShape {
  readonly kind: 'set';
  elementOf(item: unknown): string | undefined;
}

export interface KeyedShape {
  readonly kind: 'keyed';
  readonly items: Shape;
  /** The path element of an item, or `undefined` if it has none of the keys. */
  elementOf(item: unknown): string | undefined;
}

const leafShape: LeafShape = Object.freeze({ kind: 'leaf' });
const deducedShape: DeducedShape = Object.freeze({ kind: 'deduced' });
const deducedMap: MapShape = Object.freeze({ kind: 'map', values: deducedShape });
const setShape: SetShape = Object.freeze({
  kind: 'set',
  elementOf: (item: unknown) => (typeof item === 'object' ? undefined : valueElement(item)),
});

/** Shapes made so far. Schemas never change, so these are caches and not state. */
const shapes = new WeakMap<Schema, Shape>();

/** The shape of an object's type. */
export function shapeOf(schema: Schema): Shape {
  if (schema.type === 'any') return deducedShape;
  const known = shapes.get(schema);
  if (known) return known;
  const shape = makeShape(schema, schema.type === 'object' && schema.name !== '' ? leafShape : deducedShape);
  shapes.set(schema, shape);
  return shape;
}

/** A value of an untyped part decides itself what it is. */
export function settle(shape: Shape, value: unknown): Exclude<Shape, DeducedShape> {
  if (shape.kind !== 'deduced') return shape;
  return isRecord(value) ? deducedMap : leafShape;
}

/** `untyped`: free-form values are atomic in built-in types, and deduced in custom ones. */
function makeShape(schema: Schema, untyped: Shape): Shape {
  switch (schema.type) {
    case 'any':
      return untyped;
    case 'object':
      return schema.mapType === 'atomic' ? leafShape : new SchemaStruct(schema, untyped);
    case 'map':
      return schema.mapType === 'atomic' ? leafShape : { kind: 'map', values: makeShape(schema.values, untyped) };
    case 'list':
      return listShape(schema, untyped);
    default:
      return leafShape;
  }
}

function listShape(schema: ListSchema, untyped: Shape): Shape {
  if (schema.listType === 'set') return setShape;
  if (schema.listType !== 'map' || !schema.keys) return leafShape;
  const keys = [...schema.keys].sort().map((name) => ({ name, fallback: keyDefault(schema.items, name) }));
  return { kind: 'keyed', items: makeShape(schema.items, untyped), elementOf: (item) => keyedElement(item, keys) };
}

interface ListKey {
  readonly name: string;
  readonly fallback: unknown;
}

function keyedElement(item: unknown, keys: readonly ListKey[]): string | undefined {
  if (!isRecord(item)) return undefined;
  let text = '';
  for (const { name, fallback } of keys) {
    const value = item[name] ?? fallback;
    if (value !== undefined) text += `${text === '' ? 'k:{' : ','}${keyText(name, value)}`;
  }
  return text === '' ? undefined : `${text}}`;
}

/** Makes the shapes of its fields when they are first met: types refer to themselves. */
class SchemaStruct implements StructShape {
  readonly kind = 'struct';
  readonly #schema: ObjectSchema;
  readonly #untyped: Shape;
  readonly #fields = new Map<string, FieldShape>();

  constructor(schema: ObjectSchema, untyped: Shape) {
    this.#schema = schema;
    this.#untyped = untyped;
  }

  field(name: string): FieldShape {
    const known = this.#fields.get(name);
    if (known) return known;
    const field = this.#schema.fields.get(name);
    if (!field) return { element: fieldElement(name), shape: deducedShape, named: false };
    const shape = { element: fieldElement(name), shape: fieldShape(field, this.#untyped), named: true };
    this.#fields.set(name, shape);
    return shape;
  }
}

function fieldShape(field: FieldSchema, untyped: Shape): Shape {
  return field.mapType === 'atomic' ? leafShape : makeShape(field.schema, untyped);
}

const zeroByType: Partial<Record<ScalarType, unknown>> = { string: '', boolean: false, int32: 0, int64: 0, double: 0 };

/** The keys that have a value even where an item does not give one, besides the fields that every item must have. */
const defaultedKeys: Readonly<Record<string, unknown>> = {
  'io.k8s.api.core.v1.ContainerPort.protocol': 'TCP',
  'io.k8s.api.core.v1.ServicePort.protocol': 'TCP',
  'io.k8s.api.core.v1.LocalObjectReference.name': '',
};

/** What an absent key of a list item stands for; `undefined` if the item is told apart by its other keys alone. */
export function keyDefault(items: Schema, key: string): unknown {
  if (items.type !== 'object') return undefined;
  const field = items.fields.get(key);
  if (field?.default !== undefined) return field.default;
  const fallback = defaultedKeys[`${items.name}.${key}`];
  if (fallback !== undefined || !field?.required || items.name === '') return fallback;
  return zeroByType[field.schema.type as ScalarType];
}
