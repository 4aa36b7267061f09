import { isRecord, ownValue } from '@coracle/base';
import type { FieldSchema, ListSchema, ObjectSchema, ScalarType, Schema } from '../schema.js';
import { type FieldSet, leaf } from './field-set.js';
import { fieldElement, keyText, sortedText, valueElement } from './path-element.js';

/**
 * The type information that field ownership needs: which parts are owned separately. A `leaf` is owned as a whole:
 * scalars and atomic values. A `deduced` value has no type, and its form decides: objects are maps, everything else is
 * a leaf.
 */
export type Shape = LeafShape | StructShape | MapShape | SetShape | KeyedShape | DeducedShape;

/** A shape that is decided. */
export type Settled = Exclude<Shape, DeducedShape>;

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
  /** The fields that an object has. */
  fieldsOf(object: Readonly<Record<string, unknown>>): ObjectFields;
}

/** The fields of all objects that have the same names in the same order. */
export interface ObjectFields {
  readonly names: readonly string[];
  /** In the order of their names. */
  readonly fields: readonly FieldShape[];
  /** Set if nothing below the fields is owned separately: the fields of a manager that owns all of them. */
  readonly leaves: FieldSet | undefined;
}

export interface FieldShape {
  readonly name: string;
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
  const entry = shapes.get(schema);
  if (entry) return entry;
  const shape = makeShape(schema, schema.type === 'object' && schema.name !== '' ? leafShape : deducedShape);
  shapes.set(schema, shape);
  return shape;
}

/** A value of an untyped part decides itself what it is. */
export function settle(shape: Shape, value: unknown): Settled {
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
  const elements = new Map<string, string>();
  const elementOf = (item: unknown) => namedElement(item, keys, elements) ?? keyedElement(item, keys);
  return { kind: 'keyed', items: makeShape(schema.items, untyped), elementOf };
}

interface ListKey {
  readonly name: string;
  readonly fallback: unknown;
}

const knownElements = 1_000;

/** The element of an item that has one key, which is text: most items of all objects have one of a few names. */
function namedElement(item: unknown, keys: readonly ListKey[], elements: Map<string, string>): string | undefined {
  const [key] = keys;
  if (keys.length !== 1 || key === undefined || !isRecord(item)) return undefined;
  const value = item[key.name];
  if (typeof value !== 'string') return undefined;
  let element = elements.get(value);
  if (element === undefined) {
    element = `k:{${keyText(key.name, value)}}`;
    if (elements.size >= knownElements) elements.clear();
    elements.set(value, element);
  }
  return element;
}

function keyedElement(item: unknown, keys: readonly ListKey[]): string | undefined {
  if (!isRecord(item)) return undefined;
  let text = '';
  for (const { name, fallback } of keys) {
    const value = ownValue(item, name) ?? fallback;
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
  /** Made for the last objects that were seen: most objects of a type have one of a few sets of fields. */
  readonly #shapes: ObjectFields[] = [];
  #oldest = 0;

  constructor(schema: ObjectSchema, untyped: Shape) {
    this.#schema = schema;
    this.#untyped = untyped;
  }

  field(name: string): FieldShape {
    const cached = this.#fields.get(name);
    if (cached) return cached;
    const field = this.#schema.fields.get(name);
    if (!field) return { name, element: fieldElement(name), shape: deducedShape, named: false };
    const shape = { name, element: fieldElement(name), shape: fieldShape(field, this.#untyped), named: true };
    this.#fields.set(name, shape);
    return shape;
  }

  fieldsOf(object: Readonly<Record<string, unknown>>): ObjectFields {
    for (const shape of this.#shapes) if (hasNames(object, shape.names)) return shape;
    const fields = sortedText(Object.keys(object)).map((name) => this.field(name));
    const made = { names: Object.keys(object), fields, leaves: leavesOf(fields) };
    this.#shapes[this.#oldest] = made;
    this.#oldest = (this.#oldest + 1) % knownFields;
    return made;
  }
}

const knownFields = 4;

function hasNames(object: object, names: readonly string[]): boolean {
  let count = 0;
  for (const name in object) if (names[count++] !== name) return false;
  return count === names.length;
}

function leavesOf(fields: readonly FieldShape[]): FieldSet | undefined {
  if (!fields.every(({ shape }) => shape.kind === 'leaf')) return undefined;
  return Object.fromEntries([['.', leaf], ...fields.map(({ element }) => [element, leaf])]);
}

function fieldShape(field: FieldSchema, untyped: Shape): Shape {
  return field.mapType === 'atomic' ? leafShape : makeShape(field.schema, untyped);
}

const zeroByType: Partial<Record<ScalarType, unknown>> = { string: '', boolean: false, int32: 0, int64: 0, double: 0 };

/** The keys with a default, besides the fields that every item must have. */
const defaultedKeys: Readonly<Record<string, unknown>> = {
  'io.k8s.api.core.v1.ContainerPort.protocol': 'TCP',
  'io.k8s.api.core.v1.ServicePort.protocol': 'TCP',
  'io.k8s.api.core.v1.LocalObjectReference.name': '',
};

/** The default of an absent key of a list item; `undefined` if the other keys alone identify the item. */
export function keyDefault(items: Schema, key: string): unknown {
  if (items.type !== 'object') return undefined;
  const field = items.fields.get(key);
  if (field?.default !== undefined) return field.default;
  const fallback = defaultedKeys[`${items.name}.${key}`];
  if (fallback !== undefined || !field?.required || items.name === '') return fallback;
  return zeroByType[field.schema.type as ScalarType];
}
