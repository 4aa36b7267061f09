import { type FieldError, type FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { correlate } from './correlation.js';
import { ExpressionRules } from './expression-rules.js';
import { validatePart } from './json-value.validation.js';
import { itemSchema } from './schema-parts.js';

const metaFields: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

/** Defaults must be valid values of the schema, without fields that it would prune. */
export function checkDefaults(path: FieldPath, root: JSONSchemaProps): FieldError[] {
  return checkNode(path, { ...root, 'x-kubernetes-embedded-resource': true }, false);
}

function checkNode(path: FieldPath, schema: JSONSchemaProps, insideMeta: boolean): FieldError[] {
  const isResource = schema['x-kubernetes-embedded-resource'] ?? false;
  const inMeta = insideMeta && !isResource;
  const items = itemSchema(schema);
  return [
    ...checkDefault(path.child('default'), schema, inMeta),
    ...(items ? checkNode(path.child('items'), items, inMeta) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      checkNode(path.child('properties').key(name), property, inMeta || (isResource && metaFields.has(name))),
    ),
  ];
}

function checkDefault(path: FieldPath, schema: JSONSchemaProps, insideMeta: boolean): FieldError[] {
  const value: unknown = schema.default;
  if (value === undefined || value === null) return [];
  if (insideMeta) return checkValue(path, value, schema);
  const errors = hasUnknownFields(value, schema) ? [invalidField(path, value, 'must not have unknown fields')] : [];
  const missing = schema['x-kubernetes-embedded-resource'] ? checkResource(path, value) : [];
  if (missing.length > 0) return [...errors, ...missing];
  const found = [...errors, ...checkValue(path, value, schema)];
  return found.length > 0 ? found : checkRules(path, value, schema);
}

/** A default must meet the rules, but for those that compare it with what was there before. */
function checkRules(path: FieldPath, value: unknown, schema: JSONSchemaProps): FieldError[] {
  const rules = new ExpressionRules(schema, schema['x-kubernetes-embedded-resource'] ?? false);
  // A rule that does not compile is reported at its own path.
  return rules.isEmpty ? [] : rules.validate(correlate(value, undefined), path).errors.filter(isFailedRule);
}

function isFailedRule({ body }: FieldError): boolean {
  return !body.includes('rule compile error: ');
}

function checkValue(path: FieldPath, value: unknown, schema: JSONSchemaProps): FieldError[] {
  return validatePart(value, withAnyScalars(schema), path);
}

/** In a default, upstream lets a value of any type pass as an integer or string. */
function withAnyScalars(schema: JSONSchemaProps): JSONSchemaProps {
  const { properties, items, additionalProperties } = schema;
  const inner = itemSchema(schema);
  return {
    ...schema,
    ...(schema['x-kubernetes-int-or-string'] && { 'x-kubernetes-int-or-string': false }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, withAnyScalars(one)])),
    }),
    ...(items && inner && { items: withAnyScalars(inner) }),
    ...(isRecord(additionalProperties) && { additionalProperties: withAnyScalars(additionalProperties) }),
  };
}

function checkResource(path: FieldPath, value: unknown): FieldError[] {
  if (!isRecord(value)) return [];
  return ['apiVersion', 'kind']
    .filter((field) => !Object.hasOwn(value, field))
    .map((field) => requiredField(path.child(field)));
}

function hasUnknownFields(value: unknown, schema: JSONSchemaProps): boolean {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    return value.some((item) => hasUnknownFields(item, items ?? {}));
  }
  if (!isRecord(value)) return false;
  const { properties = {}, additionalProperties } = schema;
  const isResource = schema['x-kubernetes-embedded-resource'] ?? false;
  return Object.entries(value).some(([name, field]) => {
    if (isResource && metaFields.has(name)) return false;
    const fieldSchema =
      ownValue(properties, name) ?? (isRecord(additionalProperties) ? additionalProperties : undefined);
    if (fieldSchema) return hasUnknownFields(field, fieldSchema);
    return !schema['x-kubernetes-preserve-unknown-fields'] && additionalProperties !== true;
  });
}
