import { deepCopy, isRecord, ownValue } from '@coracle/base';
import type { JsonSchema } from './structural-schema.js';

/** What happens to a null that the schema does not allow and has no default for. */
export type RefusedNulls = 'drop' | 'keep';

/**
 * Fills in what the schema has a default for and the value lacks, in place. A null that the schema does not allow counts
 * as absent.
 */
export function setDefaultValues(value: unknown, schema: JsonSchema, nulls: RefusedNulls): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items && !Array.isArray(items)) for (const item of value) setDefaultValues(item, items, nulls);
    return;
  }
  if (!isRecord(value)) return;
  const { properties = {}, additionalProperties } = schema;
  for (const [name, field] of Object.entries(properties)) setField(value, name, { schema: field, nulls });
  if (!isRecord(additionalProperties)) return;
  for (const name of Object.keys(value))
    if (!ownValue(properties, name)) setField(value, name, { schema: additionalProperties, nulls });
}

function setField(
  object: Record<string, unknown>,
  name: string,
  { schema, nulls }: { readonly schema: JsonSchema; readonly nulls: RefusedNulls },
): void {
  const isGiven = Object.hasOwn(object, name);
  const isRefusedNull = isGiven && object[name] === null && !schema.nullable;
  if ((!isGiven || isRefusedNull) && schema.default !== undefined) object[name] = deepCopy(schema.default);
  else if (isRefusedNull && nulls === 'drop') delete object[name];
  if (Object.hasOwn(object, name)) setDefaultValues(object[name], schema, nulls);
}
