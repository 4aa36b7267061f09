import { deepCopy, isRecord } from '@coracle/base';
import type { JsonSchema } from './structural-schema.js';

/** Fills in what the schema has a default for and the value lacks, in place. */
export function setDefaultValues(value: unknown, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items && !Array.isArray(items)) for (const item of value) setDefaultValues(item, items);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name) && field.default !== undefined) value[name] = deepCopy(field.default);
    if (Object.hasOwn(value, name)) setDefaultValues(value[name], field);
  }
  const { additionalProperties: others } = schema;
  if (typeof others !== 'object') return;
  for (const [name, item] of Object.entries(value))
    if (!Object.hasOwn(schema.properties ?? {}, name)) setDefaultValues(item, others);
}
