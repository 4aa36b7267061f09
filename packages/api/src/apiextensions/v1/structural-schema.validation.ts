import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';

/** Where a node stands, and what it is called when its type is missing. */
const missingType = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
} as const;
type Level = keyof typeof missingType;

/**
 * A structural schema says of every field what type it has, outside of `allOf`, `anyOf`, `oneOf` and `not`.
 * Only then can the server prune, default and merge objects by it.
 */
export function checkStructure(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  return checkNode(path, schema, 'root');
}

function checkNode(path: FieldPath, schema: JSONSchemaProps, level: Level): FieldError[] {
  const { properties = {}, additionalProperties, items } = schema;
  const errors = [
    ...Object.entries(properties).flatMap(([name, property]) =>
      checkNode(path.child('properties').key(name), property, 'field'),
    ),
    ...(isRecord(additionalProperties)
      ? checkNode(path.child('additionalProperties'), additionalProperties as JSONSchemaProps, 'field')
      : []),
    ...(items && !Array.isArray(items) ? checkNode(path.child('items'), items, 'item') : []),
    ...checkOwnType(path, schema, level),
    ...checkEmbedded(path, schema),
    ...checkDefault(path.child('default'), schema),
    ...checkLogic(path, schema),
  ];
  return level === 'root' || schema['x-kubernetes-embedded-resource']
    ? [...errors, ...checkResource(path, schema)]
    : errors;
}

function checkOwnType(path: FieldPath, schema: JSONSchemaProps, level: Level): FieldError[] {
  const { type = '' } = schema;
  const field = path.child('type');
  if (schema['x-kubernetes-int-or-string']) {
    return type === '' ? [] : [invalidField(field, type, 'must be empty if x-kubernetes-int-or-string is true')];
  }
  if (level === 'root') {
    if (type === '') return [requiredField(field, missingType.root)];
    return type === 'object' ? [] : [invalidField(field, type, 'must be object at the root')];
  }
  if (type !== '' || schema['x-kubernetes-preserve-unknown-fields']) return [];
  return [requiredField(field, missingType[level])];
}

function checkEmbedded(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidField(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  if (!schema['x-kubernetes-embedded-resource']) return errors;
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(
      schema.type ? invalidField(path.child('type'), schema.type, detail) : requiredField(path.child('type'), detail),
    );
  }
  if (!schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(requiredField(path.child('properties'), detail));
  }
  return errors;
}

const resourceFieldTypes: Readonly<Record<string, string>> = {
  apiVersion: 'string',
  kind: 'string',
  metadata: 'object',
};

/** The fields that every object has are the server's: only names may be restricted. */
function checkResource(path: FieldPath, { properties = {} }: JSONSchemaProps): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, type] of Object.entries(resourceFieldTypes)) {
    const given = ownValue(properties, name)?.type;
    if (given && given !== type) {
      errors.push(invalidField(path.child('properties').key(name).child('type'), given, `must be ${type}`));
    }
  }
  const { metadata } = properties;
  if (!metadata) return errors;
  const names = Object.keys(metadata.properties ?? {});
  const others = Object.keys(metadata).filter(
    (word) => word !== 'type' && word !== 'properties' && word !== 'description',
  );
  if (others.length > 0 || names.some((name) => name !== 'name' && name !== 'generateName')) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(path.child('properties').key('metadata'), detail));
  }
  return errors;
}

function checkDefault(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const { default: value, type = '', nullable } = schema;
  if (value === undefined || (value === null && nullable)) return [];
  const actual = jsonType(value);
  const fits = type === '' || actual === type || (type === 'number' && actual === 'integer');
  if (fits || schema['x-kubernetes-int-or-string']) return [];
  return [invalidField(path, value, `must be of type ${type}: ${JSON.stringify(actual)}`)];
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const logicWords = ['allOf', 'anyOf', 'oneOf'] as const;
/** What would be a second truth beside the structure. */
const structuralWords = [
  'type',
  'default',
  'title',
  'description',
  'nullable',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const;

function checkLogic(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  // The one pattern that tools write: either an integer or a string.
  if (schema['x-kubernetes-int-or-string']) return [];
  return [
    ...logicWords.flatMap((word) =>
      (schema[word] ?? []).flatMap((one, index) => checkLogicNode(path.child(word).index(index), one)),
    ),
    ...(schema.not ? checkLogicNode(path.child('not'), schema.not) : []),
  ];
}

function checkLogicNode(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const errors = structuralWords
    .filter((word) => schema[word] !== undefined && schema[word] !== false && schema[word] !== '')
    .map((word) => forbiddenField(path.child(word), 'must be empty to be structural'));
  const { properties = {}, items } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, one]) => checkLogicNode(path.child('properties').key(name), one)),
    ...(items && !Array.isArray(items) ? checkLogicNode(path.child('items'), items) : []),
    ...errors,
    ...checkLogic(path, schema),
  ];
}
