import type { FieldSchema, ObjectSchema, Schema } from '../schema.js';

/** A custom resource with one field of each kind that apply treats differently. */
export const thingSchema: ObjectSchema = object({
  apiVersion: string(),
  kind: string(),
  metadata: object({
    name: string(),
    labels: mapOf(string()),
    finalizers: { type: 'list', items: string(), listType: 'set' },
    managedFields: { type: 'any' },
  }),
  text: string(),
  number: { type: 'int32' },
  flag: { type: 'boolean' },
  map: mapOf(string()),
  atomicMap: { type: 'map', values: string(), mapType: 'atomic' },
  struct: object({ a: string(), b: string(), inner: object({ x: string(), y: string() }) }),
  atomicStruct: { ...object({ a: string(), b: string() }), mapType: 'atomic' },
  set: { type: 'list', items: string(), listType: 'set' },
  atomicList: { type: 'list', items: string() },
  items: keyed(['name'], {
    name: string(),
    value: string(),
    labels: mapOf(string()),
    ports: keyed(
      ['port', 'protocol'],
      { port: { type: 'int32' }, protocol: string(), note: string() },
      { protocol: 'TCP' },
    ),
  }),
  free: { type: 'any' },
});

function string(): Schema {
  return { type: 'string' };
}

function mapOf(values: Schema): Schema {
  return { type: 'map', values };
}

function object(schemas: Record<string, Schema>, defaults: Record<string, unknown> = {}): ObjectSchema {
  const fields = new Map<string, FieldSchema>();
  for (const [name, schema] of Object.entries(schemas))
    fields.set(name, {
      name,
      schema,
      required: false,
      presence: 'given',
      ...(name in defaults && { default: defaults[name] }),
    });
  return { type: 'object', name: '', fields };
}

function keyed(keys: string[], schemas: Record<string, Schema>, defaults?: Record<string, unknown>): Schema {
  return { type: 'list', listType: 'map', keys, items: object(schemas, defaults) };
}
