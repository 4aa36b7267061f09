import { deepCopy, isRecord, ownValue } from '@coracle/base';
import type { JsonSchema } from './schema-node.js';

/** The value with the defaults of the schema in missing fields, as the server sets them. */
export function withDefaults(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && !Array.isArray(items) ? value.map((item) => withDefaults(item, items)) : value;
  }
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const fieldSchema = ownValue(schema.properties ?? {}, name) ?? additional(schema);
    filled[name] = fieldSchema ? withDefaults(field, fieldSchema) : field;
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const currentValue = ownValue(filled, name);
    const missing = currentValue === undefined || (currentValue === null && !field.nullable);
    if (missing && field.default !== undefined) filled[name] = withDefaults(deepCopy(field.default), field);
  }
  return filled;
}

function additional({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
