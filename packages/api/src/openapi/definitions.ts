import type { GroupVersion, GroupVersionKind, Schema } from '@coracle/apimachinery';
import { definitionByKind } from '../generated/kinds.js';
import { resources } from '../generated/resources.js';
import { allDefinitions, fullDefinitionName, schemaOf } from '../schemas.js';
import { commonFields, describeField } from './descriptions/fields.js';
import { kindDescriptions } from './descriptions/kinds.js';
import { valuesOf, withValues } from './field-enums.js';
import { type Dialect, definitionOfScalar, fieldObject, type SchemaObject } from './schema-object.js';

/** Definitions as OpenAPI writes them, by their full names. */
export type DefinitionObjects = Record<string, SchemaObject>;

export const statusDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
export const deleteOptionsDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
export const patchDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
export const watchEventDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent';

/** The full name of the definition of a built-in kind. */
export function definitionOfKind({ group, version, kind }: GroupVersionKind): string | undefined {
  const short = definitionByKind[`${group}/${version}/${kind}`];
  return short === undefined ? undefined : fullDefinitionName(short);
}

/** Adds the named definitions, and those that they refer to, to `into`. Skips names that are not built-in types. */
export function addDefinitions(names: Iterable<string>, dialect: Dialect, into: DefinitionObjects): void {
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name in into) continue;
    const short = shortNames().get(name);
    if (short === undefined) continue;
    const schema = schemaOf(short);
    into[name] = definitionObject(name, schema, dialect);
    pending.push(...referencesOf(schema));
  }
}

function definitionObject(name: string, schema: Schema, dialect: Dialect): SchemaObject {
  if (schema.type !== 'object') return specialObject(name, dialect);
  const kinds = kindsOf(name);
  const short = shortNames().get(name) ?? '';
  const common = kinds.length > 0 ? commonFields : {};
  const properties: Record<string, SchemaObject> = {};
  for (const field of schema.fields.values()) {
    const description = describeField(short, field.name) ?? common[field.name];
    const property = fieldObject(field, dialect, description === undefined ? {} : { description });
    const values = valuesOf(short, field.name);
    properties[field.name] = values ? withValues(property, values) : property;
  }
  const required = [...schema.fields.values()].filter((field) => field.required).map((field) => field.name);
  const description = descriptionOf(kinds);
  return {
    ...(description && { description }),
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(schema.fields.size > 0 && { properties }),
    ...(kinds.length > 0 && { 'x-kubernetes-group-version-kind': kinds }),
    ...(schema.mapType === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

function descriptionOf(kinds: readonly GroupVersionKind[]): string | undefined {
  const [first] = kinds;
  if (first === undefined) return undefined;
  const { group, kind } = first;
  if (kindDescriptions[`${group}/${kind}`] !== undefined) return kindDescriptions[`${group}/${kind}`];
  const item = kind.replace(/List$/, '');
  return item !== kind && `${group}/${item}` in kindDescriptions ? `A list of ${item} objects.` : undefined;
}

/** Definitions that are no objects with fields. */
function specialObject(name: string, { version }: Dialect): SchemaObject {
  const last = name.slice(name.lastIndexOf('.') + 1);
  switch (last) {
    case 'Time':
    case 'MicroTime':
      return { type: 'string', format: 'date-time' };
    case 'Quantity':
      return version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'IntOrString':
      return version === 2
        ? { type: 'string', format: 'int-or-string' }
        : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'RawExtension':
    case 'FieldsV1':
    case 'Patch':
      return { type: 'object' };
    default:
      return {};
  }
}

function referencesOf(schema: Schema): string[] {
  if (schema.type === 'object') return [...schema.fields.values()].flatMap((field) => nameOf(field.schema));
  return [];
}

function nameOf(schema: Schema): string[] {
  if (schema.type === 'list') return nameOf(schema.items);
  if (schema.type === 'map') return nameOf(schema.values);
  if (schema.type === 'object') return schema.name === '' ? [] : [schema.name];
  if (schema.type === 'any') return [...(schema.name ? [schema.name] : []), ...unionNames(schema)];
  const definition = definitionOfScalar[schema.type];
  return definition === undefined ? [] : [definition];
}

function unionNames({ union }: { readonly union?: Extract<Schema, { type: 'any' }>['union'] }): string[] {
  return Object.values(union ?? {}).flatMap((field) => nameOf(field.schema));
}

let shortByFull: ReadonlyMap<string, string> | undefined;

/** `io.k8s.api.core.v1.Pod` → `core-v1/Pod`. Made when first needed from tables that never change. */
function shortNames(): ReadonlyMap<string, string> {
  shortByFull ??= new Map(allDefinitions().map((short) => [fullDefinitionName(short), short]));
  return shortByFull;
}

let kindsByFull: ReadonlyMap<string, readonly GroupVersionKind[]> | undefined;

function kindsOf(name: string): readonly GroupVersionKind[] {
  kindsByFull ??= collectKinds();
  return kindsByFull.get(name) ?? [];
}

function collectKinds(): ReadonlyMap<string, readonly GroupVersionKind[]> {
  const kinds = new Map<string, GroupVersionKind[]>();
  for (const [key, short] of Object.entries(definitionByKind)) {
    const [group = '', version = '', kind = ''] = key.split('/');
    const name = fullDefinitionName(short);
    kinds.set(name, [...(kinds.get(name) ?? []), { group, kind, version }]);
  }
  // These two belong to every group version.
  for (const [name, kind] of [
    [deleteOptionsDefinition, 'DeleteOptions'],
    [watchEventDefinition, 'WatchEvent'],
  ] as const)
    kinds.set(
      name,
      servedGroupVersions().map(({ group, version }) => ({ group, kind, version })),
    );
  return kinds;
}

/** The group versions of the built-in resources. */
function servedGroupVersions(): GroupVersion[] {
  const seen = new Map(resources.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
  return [...seen.values()];
}
