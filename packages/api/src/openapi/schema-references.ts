import type { GroupVersionKind } from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../generated/types/apiextensions-v1.js';

type Fields = Readonly<Record<string, unknown>>;

/** Schema name → schema, as `components.schemas` of an OpenAPI v3 document has them. */
export type OpenApiComponents = Readonly<Record<string, Fields>>;

/** The schema of a kind in an OpenAPI v3 document; `undefined` if it has none. */
export function openApiSchemaOf(components: OpenApiComponents, kind: GroupVersionKind): JSONSchemaProps | undefined {
  const found = Object.values(components).find((schema) => {
    const kinds = schema['x-kubernetes-group-version-kind'];
    return Array.isArray(kinds) && kinds.some((one: unknown) => isRecord(one) && isKind(one, kind));
  });
  return found && expand(found, components);
}

function isKind(stated: Fields, { group, version, kind }: GroupVersionKind): boolean {
  return stated['group'] === group && stated['version'] === version && stated['kind'] === kind;
}

const prefix = '#/components/schemas/';
/** References and lists inside of each other, without a property between them. */
const deepest = 64;

/**
 * A schema with what its references stand for. Properties are looked up when they are read: types refer to themselves.
 */
function expand(reference: Fields, components: OpenApiComponents, depth = 0): JSONSchemaProps {
  if (depth > deepest) return {};
  const schema = target(reference, components);
  const { properties, items, additionalProperties } = schema;
  const below = (one: Fields) => expand(one, components, depth + 1);
  return {
    ...schema,
    ...(isRecord(properties) && { properties: lazily(properties, (one) => expand(one, components)) }),
    ...(isRecord(items) && { items: below(items) }),
    ...(isRecord(additionalProperties) && { additionalProperties: below(additionalProperties) }),
  };
}

function target(reference: Fields, components: OpenApiComponents): Fields {
  let schema = reference;
  for (let step = 0; step < deepest; step++) {
    const name = referenceOf(schema);
    const found = name === undefined ? undefined : ownValue(components, name);
    if (!found) break;
    schema = found;
  }
  return withType(schema);
}

/** The name of the referenced schema, alone or beside a default and a description. */
function referenceOf({ $ref, allOf }: Fields): string | undefined {
  const single: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  const reference = $ref ?? (isRecord(single) ? single['$ref'] : undefined);
  return typeof reference === 'string' && reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
}

/** Quantities and their like are described by the types that they may have. */
function withType(schema: Fields): Fields {
  const isScalar = schema['type'] === undefined && (schema['oneOf'] ?? schema['anyOf']) !== undefined;
  return isScalar ? { ...schema, 'x-kubernetes-int-or-string': true } : schema;
}

/** The same record, whose values are made when they are first read. */
function lazily<T>(record: Fields, make: (value: Fields) => T): Record<string, T> {
  const made: Record<string, T> = {};
  for (const [name, value] of Object.entries(record)) {
    let parsedValue: T | undefined;
    const get = () => (parsedValue ??= make(isRecord(value) ? value : {}));
    Object.defineProperty(made, name, { get, enumerable: true, configurable: true });
  }
  return made;
}
