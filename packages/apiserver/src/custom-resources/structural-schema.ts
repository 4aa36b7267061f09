import { type apiextensionsv1, schemaOf } from '@coracle/api';
import type { FieldSchema, ObjectSchema, Presence, Schema } from '@coracle/apimachinery';

export type JsonSchema = apiextensionsv1.JSONSchemaProps;

/** The schema of a custom resource's objects in the machinery's terms. Metadata is that of every object. */
export function objectSchemaOf(schema: JsonSchema): ObjectSchema {
  const { apiVersion: _, kind: __, metadata: ___, ...own } = schema.properties ?? {};
  const fields = fieldsOf(own);
  const text: Schema = { type: 'string' };
  return {
    type: 'object',
    name: '',
    fields: new Map([
      ['apiVersion', field('apiVersion', text)],
      ['kind', field('kind', text)],
      ['metadata', field('metadata', schemaOf('meta-v1/ObjectMeta'))],
      ...fields,
    ]),
    ...(schema['x-kubernetes-preserve-unknown-fields'] && { preserveUnknown: true }),
  };
}

function fieldsOf(properties: Readonly<Record<string, JsonSchema>>): Map<string, FieldSchema> {
  return new Map(Object.entries(properties).map(([name, json]) => [name, fieldOf(name, json)]));
}

function fieldOf(name: string, json: JsonSchema): FieldSchema {
  return { ...field(name, valueSchemaOf(json), 'sent'), ...(json.default !== undefined && { default: json.default }) };
}

function field(name: string, schema: Schema, presence: Presence = 'given'): FieldSchema {
  return { name, schema, required: false, presence };
}

const scalars: Readonly<Record<string, 'string' | 'boolean' | 'int64' | 'double'>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'int64',
  number: 'double',
};

/** Values of one part are left as they came, so that validation can say what is wrong with them. */
function valueSchemaOf(json: JsonSchema): Schema {
  if (json.type === 'array') return listSchemaOf(json);
  if (json.type === 'object') return objectOrMap(json);
  const applied = json['x-kubernetes-int-or-string'] ? undefined : scalars[json.type ?? ''];
  return applied ? { type: 'any', applied } : { type: 'any' };
}

function listSchemaOf(json: JsonSchema): Schema {
  const { items } = json;
  const listType = json['x-kubernetes-list-type'] as 'atomic' | 'set' | 'map' | undefined;
  const keys = json['x-kubernetes-list-map-keys'];
  return {
    type: 'list',
    items: items && !Array.isArray(items) ? valueSchemaOf(items) : { type: 'any' },
    lenient: true,
    ...(listType && { listType }),
    ...(keys && { keys }),
  };
}

function objectOrMap(json: JsonSchema): Schema {
  const { properties, additionalProperties } = json;
  const mapType = json['x-kubernetes-map-type'] as 'atomic' | 'granular' | undefined;
  const keeps = json['x-kubernetes-preserve-unknown-fields'] === true;
  const shared = { lenient: true, ...(mapType && { mapType }) } as const;
  if (!properties && additionalProperties)
    return {
      type: 'map',
      values: additionalProperties === true ? { type: 'any' } : valueSchemaOf(additionalProperties),
      ...shared,
    };
  // The fields that every embedded object has are preserved, whether or not the schema names them.
  const embedded = json['x-kubernetes-embedded-resource'] ? embeddedFields : [];
  const fields = new Map([...fieldsOf(properties ?? {}), ...embedded]);
  return { type: 'object', name: '', fields, ...shared, ...(keeps && { preserveUnknown: true }) };
}

const embeddedFields: readonly [string, FieldSchema][] = [
  ['apiVersion', field('apiVersion', { type: 'any' })],
  ['kind', field('kind', { type: 'any' })],
  ['metadata', field('metadata', schemaOf('meta-v1/ObjectMeta'))],
];
