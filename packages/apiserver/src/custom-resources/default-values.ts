import { deepCopy, isRecord, ownValue } from '@coracle/base';
import type { JsonSchema } from './structural-schema.js';

/**
 * Fills in what the schema has a default for and the value lacks, in place. A null that the schema does not allow counts
 * as absent.
 */
export function setDefaultValues(value: unknown, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items && !Array.isArray(items)) for (const item of value) setDefaultValues(item, items);
    return;
  }
  if (!isRecord(value)) return;
  const { properties = {}, additionalProperties } = schema;
  for (const [name, field] of Object.entries(properties)) setField(value, name, field);
  if (!isRecord(additionalProperties)) return;
  for (const name of Object.keys(value)) if (!ownValue(properties, name)) setField(value, name, additionalProperties);
}

function setField(object: Record<string, unknown>, name: string, schema: JsonSchema): void {
  const isGiven = Object.hasOwn(object, name);
  const isRefusedNull = isGiven && object[name] === null && !schema.nullable;
  if ((!isGiven || isRefusedNull) && schema.default !== undefined) object[name] = deepCopy(schema.default);
  else if (isRefusedNull) delete object[name];
  if (Object.hasOwn(object, name)) setDefaultValues(object[name], schema);
}
