import type { FieldSchema, ListSchema, ScalarType, Schema } from '@coracle/apimachinery';

/** A schema as OpenAPI writes it. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** The differences between the two versions of OpenAPI. */
export interface Dialect {
  /** `#/definitions/` or `#/components/schemas/`. */
  readonly prefix: string;
  /** Version 3 wraps a reference with siblings, and has defaults. */
  readonly version: 2 | 3;
}

export const dialect2: Dialect = { prefix: '#/definitions/', version: 2 };
export const dialect3: Dialect = { prefix: '#/components/schemas/', version: 3 };

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Scalars that are definitions of their own. */
export const definitionOfScalar: Readonly<Partial<Record<ScalarType, string>>> = {
  time: `${meta}.Time`,
  microTime: `${meta}.MicroTime`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
};

const inlineScalars: Readonly<Partial<Record<ScalarType, SchemaObject>>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  duration: { type: 'string' },
};

/** The property that describes a field, with its description and default. */
export function fieldObject(field: FieldSchema, dialect: Dialect, beside: SchemaObject = {}): SchemaObject {
  const { schema, presence, patchStrategy, mapType } = field;
  const extensions: Record<string, unknown> = {};
  if (schema.type === 'list') Object.assign(extensions, listExtensions(schema));
  else if (mapType ?? (schema.type === 'map' && schema.mapType)) extensions['x-kubernetes-map-type'] = 'atomic';
  if (patchStrategy) extensions['x-kubernetes-patch-strategy'] = patchStrategy.join(',');
  const hasDefault = dialect.version === 3 && presence === 'always';
  return schemaObject(schema, dialect, { ...beside, ...(hasDefault && defaultOf(schema)), ...extensions });
}

/** A schema with its description and default. */
function schemaObject(schema: Schema, dialect: Dialect, beside: SchemaObject = {}): SchemaObject {
  switch (schema.type) {
    case 'list':
      return { ...beside, type: 'array', items: elementObject(schema.items, dialect) };
    case 'map':
      return { ...beside, type: 'object', additionalProperties: elementObject(schema.values, dialect) };
    case 'object':
      return schema.name === '' ? { ...beside, type: 'object' } : reference(schema.name, dialect, beside);
    case 'any':
      return schema.name === undefined ? beside : reference(schema.name, dialect, beside);
    default: {
      const definition = definitionOfScalar[schema.type];
      return definition ? reference(definition, dialect, beside) : { ...beside, ...inlineScalars[schema.type] };
    }
  }
}

export function reference(name: string, { prefix, version }: Dialect, beside: SchemaObject = {}): SchemaObject {
  const $ref = prefix + name;
  if (version === 2 || Object.keys(beside).length === 0) return { ...beside, $ref };
  return { ...beside, allOf: [{ $ref }] };
}

function elementObject(schema: Schema, dialect: Dialect): SchemaObject {
  return schemaObject(schema, dialect, dialect.version === 3 ? defaultOf(schema) : {});
}

/** The value of a field that is always there; lists, maps and free-form values have none. */
function defaultOf(schema: Schema): SchemaObject {
  switch (schema.type) {
    case 'string':
      return { default: '' };
    case 'boolean':
      return { default: false };
    case 'int32':
    case 'int64':
    case 'double':
      return { default: 0 };
    case 'object':
      return { default: {} };
    default:
      return {};
  }
}

function listExtensions({ listType, keys, mergeKey }: ListSchema): SchemaObject {
  return {
    ...(keys && { 'x-kubernetes-list-map-keys': keys }),
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(mergeKey && { 'x-kubernetes-patch-merge-key': mergeKey }),
  };
}
