import { type apiextensionsv1, schemaOf } from '@coracle/api';
import type { FieldSchema, ObjectSchema, Schema } from '@coracle/apimachinery';

export type JsonSchema = apiextensionsv1.JSONSchemaProps;

/**
 * `lenient`: values of one part are left as they came, so that validation can say what is wrong with them. It prunes,
 * merges and tracks ownership. `typed`: numbers, times and durations are known as such. Expressions see values by it.
 */
export type SchemaView = 'lenient' | 'typed';

/** The schema of a custom resource's objects in the machinery's terms. Metadata is that of every object. */
export function objectSchemaOf(schema: JsonSchema, view: SchemaView): ObjectSchema {
  const { apiVersion: _, kind: __, metadata: ___, ...own } = schema.properties ?? {};
  const fields = fieldsOf(own, view);
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

function fieldsOf(properties: Readonly<Record<string, JsonSchema>>, view: SchemaView): Map<string, FieldSchema> {
  return new Map(Object.entries(properties).map(([name, json]) => [name, fieldOf(name, json, view)]));
}

function fieldOf(name: string, json: JsonSchema, view: SchemaView): FieldSchema {
  return { ...field(name, valueSchemaOf(json, view)), ...(json.default !== undefined && { default: json.default }) };
}

function field(name: string, schema: Schema): FieldSchema {
  return { name, schema, required: false, presence: 'given' };
}

function valueSchemaOf(json: JsonSchema, view: SchemaView): Schema {
  if (json.type === 'array') return listSchemaOf(json, view);
  if (json.type === 'object') return objectOrMap(json, view);
  return view === 'lenient' ? { type: 'any' } : scalarOf(json);
}

function scalarOf({ type, format }: JsonSchema): Schema {
  if (type === 'number') return { type: 'double' };
  if (type !== 'string') return { type: 'any' };
  if (format === 'date-time') return { type: 'time' };
  return format === 'duration' ? { type: 'duration' } : { type: 'string' };
}

function listSchemaOf(json: JsonSchema, view: SchemaView): Schema {
  const { items } = json;
  const listType = json['x-kubernetes-list-type'] as 'atomic' | 'set' | 'map' | undefined;
  const keys = json['x-kubernetes-list-map-keys'];
  return {
    type: 'list',
    items: items && !Array.isArray(items) ? valueSchemaOf(items, view) : { type: 'any' },
    ...(listType && { listType }),
    ...(keys && { keys }),
  };
}

function objectOrMap(json: JsonSchema, view: SchemaView): Schema {
  const { properties, additionalProperties } = json;
  const mapType = json['x-kubernetes-map-type'] as 'atomic' | 'granular' | undefined;
  const keeps = json['x-kubernetes-preserve-unknown-fields'] === true;
  const shared = { ...(mapType && { mapType }) };
  if (!properties && additionalProperties)
    return {
      type: 'map',
      values: additionalProperties === true ? { type: 'any' } : valueSchemaOf(additionalProperties, view),
      ...shared,
    };
  // What an embedded object always has is kept, whether or not its schema says so.
  const embedded = json['x-kubernetes-embedded-resource'] ? embeddedFields : [];
  const fields = new Map([...embedded, ...fieldsOf(properties ?? {}, view)]);
  return { type: 'object', name: '', fields, ...shared, ...(keeps && { preserveUnknown: true }) };
}

const embeddedFields: readonly [string, FieldSchema][] = ['apiVersion', 'kind', 'metadata'].map((name) => [
  name,
  field(name, { type: 'any' }),
]);
