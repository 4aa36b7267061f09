import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { goValue } from '../../validation/go-value.js';

/** The keywords of a schema in the order of upstream's type, with their names in messages. */
const words: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ['id', 'ID'],
  ['$schema', 'Schema'],
  ['$ref', 'Ref'],
  ['description', 'Description'],
  ['type', 'Type'],
  ['nullable', 'Nullable'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['default', 'Default'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['enum', 'Enum'],
  ['maxProperties', 'MaxProperties'],
  ['minProperties', 'MinProperties'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['allOf', 'AllOf'],
  ['oneOf', 'OneOf'],
  ['anyOf', 'AnyOf'],
  ['not', 'Not'],
  ['properties', 'Properties'],
  ['additionalProperties', 'AdditionalProperties'],
  ['patternProperties', 'PatternProperties'],
  ['dependencies', 'Dependencies'],
  ['additionalItems', 'AdditionalItems'],
  ['definitions', 'Definitions'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource'],
  ['x-kubernetes-int-or-string', 'XIntOrString'],
  ['x-kubernetes-list-map-keys', 'XListMapKeys'],
  ['x-kubernetes-list-type', 'XListType'],
  ['x-kubernetes-map-type', 'XMapType'],
  ['x-kubernetes-validations', 'XValidations'],
];

const texts: ReadonlySet<string> = new Set(['id', '$schema', 'description', 'type', 'format', 'title', 'pattern']);
const flags: ReadonlySet<string> = new Set([
  'nullable',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);

/** The keywords of a schema, with upstream's names and in upstream's order; empty ones are left out. */
export function wordsOf(schema: JSONSchemaProps): string[] {
  return words.filter(([word]) => schema[word] !== undefined && schema[word] !== zeroOf(word)).map(([, name]) => name);
}

function zeroOf(word: string): unknown {
  if (texts.has(word)) return '';
  return flags.has(word) ? false : null;
}

/** Upstream's text of a schema in messages. */
export function printedSchema(schema: JSONSchemaProps): Record<string, unknown> {
  return Object.fromEntries(words.map(([word, name]) => [name, printedWord(word, schema[word])]));
}

function printedWord(word: keyof JSONSchemaProps, value: unknown): unknown {
  if (value === undefined || value === null) return zeroOf(word);
  const one = (schema: unknown) => printedSchema(schema as JSONSchemaProps);
  switch (word) {
    case 'not':
      return one(value);
    case 'allOf':
    case 'oneOf':
    case 'anyOf':
      return (value as unknown[]).map(one);
    case 'properties':
      return printedMap(value as Record<string, unknown>);
    case 'items':
      return Array.isArray(value)
        ? { Schema: null, JSONSchemas: value.map(one) }
        : { Schema: one(value), JSONSchemas: null };
    case 'additionalProperties':
      return typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: one(value) };
    case 'x-kubernetes-validations':
      return (value as unknown[]).map((rule) => goValue('apiextensions-v1/ValidationRule', rule));
    default:
      return value;
  }
}

function printedMap(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(schemas).sort();
  return Object.fromEntries(names.map((name) => [name, printedSchema(schemas[name] as JSONSchemaProps)]));
}
