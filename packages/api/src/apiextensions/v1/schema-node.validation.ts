import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { checkSupported } from '../../validation/field-checks.js';
import { multiplyCosts } from './rule-costs.js';
import { itemSchema, type NodePlace } from './schema-parts.js';
import { checkRuleWords, compileRules } from './schema-rules.validation.js';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const metaFields: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

/** Errors in keywords come first; expressions are only compiled below valid keywords. */
export interface NodeErrors {
  readonly words: FieldError[];
  readonly rules: FieldError[];
}

export function checkSchemaNode(path: FieldPath, schema: JSONSchemaProps, place: NodePlace): NodeErrors {
  const words = [...checkPlainWords(path, schema, place), ...checkAlternatives(path, schema)];
  const rules: FieldError[] = [];
  for (const [at, child, below] of childrenOf(path, schema, place)) {
    const found = checkSchemaNode(at, child, below);
    words.push(...found.words);
    rules.push(...found.rules);
  }
  words.push(...checkMapType(path, schema), ...checkListType(path, schema), ...checkListItems(path, schema));
  const expressions = schema['x-kubernetes-validations'] ?? [];
  const rulesPath = path.child('x-kubernetes-validations');
  words.push(...expressions.flatMap((rule, index) => checkRuleWords(rulesPath.index(index), rule, schema)));
  if (words.length === 0 && place.compiles) rules.push(...compileRules(rulesPath, schema, place));
  return { words, rules };
}

function checkPlainWords(path: FieldPath, schema: JSONSchemaProps, place: NodePlace): FieldError[] {
  const { type = '' } = schema;
  const errors = type === '' ? [] : checkSupported(path.child('type'), type, types);
  const refuse = (field: string, detail = `${field} is not supported`) =>
    errors.push(forbiddenField(path.child(field), detail));
  if (schema.default !== undefined && place.noDefaults !== undefined) {
    refuse('default', `must not be set ${place.noDefaults}`);
  }
  if (schema.id) refuse('id');
  if (schema.additionalItems !== undefined) refuse('additionalItems');
  for (const field of ['patternProperties', 'definitions', 'dependencies'] as const) {
    if (Object.keys(schema[field] ?? {}).length > 0) refuse(field);
  }
  if (schema.$ref !== undefined) refuse('$ref');
  if (type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    refuse('items', 'items must be a schema object and not an array');
  }
  if (place.insideMeta && schema['x-kubernetes-embedded-resource']) {
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  return errors;
}

function checkAlternatives(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(path.child('uniqueItems'), detail));
  }
  const { additionalProperties, properties = {} } = schema;
  const isMap = additionalProperties !== undefined && additionalProperties !== true;
  if (isMap && Object.keys(properties).length > 0) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbiddenField(path.child('additionalProperties'), detail));
  }
  return errors;
}

type Child = readonly [FieldPath, JSONSchemaProps, NodePlace];

function childrenOf(path: FieldPath, schema: JSONSchemaProps, { isRoot, ...place }: NodePlace): Child[] {
  const { additionalProperties, properties = {}, not } = schema;
  const children: Child[] = [];
  if (isRecord(additionalProperties)) {
    const noDefaults = 'inside additionalProperties applying to object metadata';
    const below = place.insideMeta ? { ...place, noDefaults } : place;
    const cardinality = bounded(place.cardinality, schema.maxProperties);
    children.push([
      path.child('additionalProperties'),
      additionalProperties,
      { ...withoutBound(below), ...cardinality },
    ]);
  }
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'];
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = isResource && metaFields.has(name);
    children.push([
      path.child('properties').key(name),
      property,
      {
        ...place,
        ...(isMeta && { insideMeta: true }),
        ...(isMeta && isRoot && { noDefaults: `in top-level ${name}` }),
      },
    ]);
  }
  const value = { ...place, compiles: false };
  if (not) children.push([path.child('not'), not, value]);
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const) {
    (schema[word] ?? []).forEach((one, index) => void children.push([path.child(word).index(index), one, value]));
  }
  const items = itemSchema(schema);
  if (items) {
    const below = schema['x-kubernetes-list-type'] === 'map' ? place : { uncorrelatable: path, ...place };
    const cardinality = bounded(place.cardinality, schema.maxItems);
    children.push([path.child('items'), items, { ...withoutBound(below), ...cardinality }]);
  }
  return children;
}

function withoutBound({ cardinality: _, ...place }: NodePlace): NodePlace {
  return place;
}

/** How many values there are of what a list or map contains. */
function bounded(cardinality: number | undefined, elements: number | undefined): Pick<NodePlace, 'cardinality'> {
  if (cardinality === undefined || elements === undefined) return {};
  return { cardinality: multiplyCosts(cardinality, Number(elements)) };
}

/** An error about the type of a node that another keyword requires. */
function checkTypeFor(path: FieldPath, { type }: JSONSchemaProps, expectedType: string, word: string): FieldError[] {
  if (type === expectedType) return [];
  const detail = `must be ${expectedType} if ${word} is specified`;
  return [type ? invalidField(path.child('type'), type, detail) : requiredField(path.child('type'), detail)];
}

function checkMapType(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidField(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return errors;
  const supported = ['atomic', 'granular'];
  return [
    ...errors,
    ...checkTypeFor(path, schema, 'object', 'x-kubernetes-map-type'),
    ...checkSupported(path.child('x-kubernetes-map-type'), mapType, supported),
  ];
}

function checkListType(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const field = path.child('x-kubernetes-list-type');
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    const wrongType = checkTypeFor(path, schema, 'array', 'x-kubernetes-list-type');
    errors.push(...wrongType);
    if (wrongType.length === 0 && listType === 'set') errors.push(...checkAtomicItems(path.child('items'), schema));
    const supported = ['atomic', 'set', 'map'];
    if (!supported.includes(listType)) errors.push(notSupportedField(field, listType, supported));
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? requiredField(field, detail) : invalidField(field, listType, detail));
  }
  return listType === 'map' ? [...errors, ...checkMapKeys(path, schema, keys)] : errors;
}

/** Items of a set are compared as a whole. */
function checkAtomicItems(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const items = itemSchema(schema);
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidField(path.child('x-kubernetes-list-type'), listType, detail)];
  }
  if (items?.type !== 'object' || items['x-kubernetes-map-type'] === 'atomic') return [];
  return [invalidField(path.child('x-kubernetes-map-type'), listType ?? null, detail)];
}

function checkMapKeys(path: FieldPath, schema: JSONSchemaProps, keys: readonly string[]): FieldError[] {
  const keysPath = path.child('x-kubernetes-list-map-keys');
  const itemsPath = path.child('items');
  const items = itemSchema(schema);
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(requiredField(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items === undefined) {
    errors.push(requiredField(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  } else if (!items) {
    errors.push(
      invalidField(itemsPath, schema.items, 'must only have a single schema if x-kubernetes-list-type is map'),
    );
  }
  if (items && items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidField(itemsPath.child('type'), items.type ?? '', detail)];
  }
  if (!items) return errors;
  for (const [index, key] of keys.entries()) {
    const property = ownValue(items.properties ?? {}, key);
    if (!property) errors.push(invalidField(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidField(itemsPath.child('properties').key(key).child('type'), items.type, detail));
    }
    if (keys.indexOf(key) < index) errors.push(invalidField(keysPath, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

/** Items of sets and maps are not nullable, and the keys of a map are required or have defaults. */
function checkListItems(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const items = itemSchema(schema);
  if (!items || (listType !== 'set' && listType !== 'map')) return [];
  const at = path.child('items');
  const errors: FieldError[] = [];
  if (items.nullable) {
    errors.push(forbiddenField(at.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === 'set') return errors;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = ownValue(items.properties ?? {}, key);
    const field = at.child('properties').key(key);
    if (!property) continue;
    if (!items.required?.includes(key) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(requiredField(field.child('default'), detail));
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbiddenField(field.child('nullable'), detail));
    }
  }
  return errors;
}
