import { isRecord } from '@coracle/base';
import type { SchemaObject } from './schema-object.js';

/** Keywords that OpenAPI v2 does not have. */
const dropped = new Set(['default', 'oneOf', 'anyOf', 'allOf', 'not', 'nullable']);
/** Keywords that OpenAPI v2 drops for a value that may also be null or of any type. */
const typed = new Set(['type', 'items', 'properties', 'additionalProperties']);

/** The schema of a custom resource in OpenAPI v2: less exact, never wrong. */
export function customSchemaV2(schema: SchemaObject): SchemaObject {
  const isLoose =
    schema.nullable === true ||
    schema['x-kubernetes-int-or-string'] === true ||
    (schema['x-kubernetes-preserve-unknown-fields'] === true && schema.type !== 'object');
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || (isLoose && typed.has(key))) continue;
    result[key] = convert(key, value);
  }
  return result;
}

function convert(key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  if (key === 'items' || key === 'additionalProperties') return customSchemaV2(value);
  if (key !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isRecord(one) ? customSchemaV2(one) : one]),
  );
}
