import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@coracle/apimachinery';
import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { checkNested } from './nested-schema.validation.js';
import { checkPattern, itemSchema } from './schema-parts.js';

/** The path of a node, and its name when its type is missing. */
const missingType = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
} as const;
type Level = keyof typeof missingType;

/** The schemas right below a node, those of lists that are no schema left out. */
export function childrenOf(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  const { properties = {}, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const single = [itemSchema(schema), isRecord(additionalProperties) ? additionalProperties : undefined, not];
  return [...single, ...Object.values(properties), ...allOf, ...anyOf, ...oneOf].filter((one) => one !== undefined);
}

const unsupported = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const;

/** Why the schema has no structure, which is reported if there is no other error. */
export function structureProblem(schema: JSONSchemaProps): string | undefined {
  const word = unsupported.find((one) => isGiven(schema[one]));
  if (word) return `OpenAPIV3Schema '${word === '$schema' ? 'schema' : word}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const child of childrenOf(schema)) {
    const problem = structureProblem(child);
    if (problem) return problem;
  }
  return undefined;
}

function isGiven(value: unknown): boolean {
  return isRecord(value) ? Object.keys(value).length > 0 : value !== undefined && value !== '';
}

/**
 * In a structural schema every field has a type, outside of `allOf`, `anyOf`, `oneOf` and `not`. Only then can the
 * server prune, default and merge objects by it.
 */
export function checkStructure(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  return [...checkNode(path, schema, 'root'), ...checkComplete(schema, schema, { path, from: path })];
}

function checkNode(path: FieldPath, schema: JSONSchemaProps, level: Level): FieldError[] {
  const { properties = {}, additionalProperties } = schema;
  const items = itemSchema(schema);
  const errors: FieldError[] = [];
  if (schema.type === 'array' && !items) errors.push(requiredField(path.child('items'), 'must be specified'));
  if (items) errors.push(...checkNode(path.child('items'), items, 'item'));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...checkNode(path.child('properties').key(name), property, 'field'));
  }
  if (additionalProperties !== undefined) {
    const field = path.child('additionalProperties');
    if (level === 'root') errors.push(forbiddenField(field, 'must not be used at the root'));
    if (isRecord(additionalProperties)) errors.push(...checkNode(field, additionalProperties, 'field'));
  }
  return [
    ...errors,
    ...checkIntOrString(path, schema),
    ...checkCombinations(path, schema),
    ...checkOwnType(path, schema, level),
    ...checkResource(path, schema, level),
  ];
}

function checkIntOrString(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return [];
  const others = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const;
  return others
    .filter((word) => schema[word])
    .map((word) => invalidField(path.child(word), true, 'must be false if x-kubernetes-int-or-string is true'));
}

const integerOrString: readonly JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

/** Conditions are on values, not on the structure. The one exception is what tools write for integers or strings. */
function checkCombinations(path: FieldPath, schema: JSONSchemaProps): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const nested = (word: string, schemas: readonly JSONSchemaProps[]) =>
    schemas.flatMap((one, index) => checkNested(path.child(word).index(index), one));
  const [first, ...rest] = allOf;
  const exempt = first?.anyOf && deepEqual(first.anyOf, integerOrString) ? { ...first, anyOf: [] } : first;
  return [
    ...(deepEqual(anyOf, integerOrString) ? [] : nested('anyOf', anyOf)),
    ...nested('allOf', exempt ? [exempt, ...rest] : rest),
    ...nested('oneOf', oneOf),
    ...(not ? checkNested(path.child('not'), not) : []),
    ...checkPattern(path.child('pattern'), schema.pattern),
  ];
}

function checkOwnType(path: FieldPath, schema: JSONSchemaProps, level: Level): FieldError[] {
  const { type = '' } = schema;
  const field = path.child('type');
  const isEmbedded = schema['x-kubernetes-embedded-resource'] ?? false;
  const errors: FieldError[] = [];
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? requiredField(field, detail) : invalidField(field, type, detail));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    errors.push(requiredField(field, missingType[level]));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(path.child('additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidField(field, type, 'must be object at the root'));
  }
  return errors;
}

/** The fields that every object has are the server's: only names may be restricted. */
function checkResource(path: FieldPath, schema: JSONSchemaProps, level: Level): FieldError[] {
  const { properties = {} } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] ?? false;
  const isResource = level === 'root' || isEmbedded;
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const field = ownValue(properties, name);
    if (!isResource || !field || field.type === 'string') continue;
    errors.push(invalidField(path.child('properties').key(name).child('type'), field.type ?? '', 'must be string'));
  }
  const metadata = ownValue(properties, 'metadata');
  if (metadata) {
    const at = path.child('properties').key('metadata');
    if (isResource && metadata.type !== 'object') {
      errors.push(invalidField(at.child('type'), metadata.type ?? '', 'must be object'));
    }
    if (level === 'root') errors.push(...checkMetadata(at, metadata));
  }
  if (isEmbedded && !schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(requiredField(path.child('properties'), detail));
  }
  return errors;
}

function checkMetadata(path: FieldPath, metadata: JSONSchemaProps): FieldError[] {
  const { type: _, default: __, properties = {}, externalDocs: ___, example: ____, ...others } = metadata;
  const onlyNames = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
  if (onlyNames && Object.keys(others).length === 0) return [];
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [forbiddenField(path, detail)];
}

interface Place {
  readonly path: FieldPath;
  /** The path of the condition that names the field. */
  readonly from: FieldPath;
}

/** What conditions at the root name is also there outside of them. */
function checkComplete(conditions: JSONSchemaProps, schema: JSONSchemaProps, { path, from }: Place): FieldError[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = conditions;
  const lists = { allOf, anyOf, oneOf };
  return [
    ...(not ? checkCondition(not, schema, { path, from: from.child('not') }) : []),
    ...Object.entries(lists).flatMap(([word, schemas]) =>
      schemas.flatMap((one, index) => checkCondition(one, schema, { path, from: from.child(word).index(index) })),
    ),
  ];
}

function checkCondition(
  condition: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  { path, from }: Place,
): FieldError[] {
  if (!schema) return [requiredField(path, `because it is defined in ${from}`)];
  const items = itemSchema(condition);
  return [
    ...checkComplete(condition, schema, { path, from }),
    ...(items
      ? checkCondition(items, itemSchema(schema), { path: path.child('items'), from: from.child('items') })
      : []),
    ...Object.entries(condition.properties ?? {}).flatMap(([name, one]) =>
      checkCondition(one, ownValue(schema.properties ?? {}, name), {
        path: path.child('properties').key(name),
        from: from.child('properties').key(name),
      }),
    ),
  ];
}
