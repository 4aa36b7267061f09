import type { FieldSchema, ListSchema, Schema } from '../schema.js';
import { unexplainedFailure } from './patch-errors.js';

/** How a strategic merge patch treats one field. */
export interface PatchMetadata {
  readonly schema: Schema;
  /** Lists replace each other unless it is `merge`, objects merge unless it is `replace`. */
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly retainKeys: boolean;
  /** The merge key of a list; `undefined` for a list of plain values. */
  readonly mergeKey: string | undefined;
}

const anything: Schema = { type: 'any' };

/** Throws a 500 for a field that the type does not have, as upstream does. */
export function patchMetadata(schema: Schema, name: string): PatchMetadata {
  if (schema.type === 'map') return metadata(schema.values, undefined);
  const field = schema.type === 'object' ? schema.fields.get(name) : undefined;
  if (field) return metadata(field.schema, field);
  if (schema.type === 'any' || (schema.type === 'object' && schema.preserveUnknown))
    return metadata(anything, undefined);
  throw unexplainedFailure(
    `unable to find api field in struct ${typeName(schema)} for the json field ${JSON.stringify(name)}`,
  );
}

/** The schema of the items of a merged list. */
export function itemSchema(schema: Schema): Schema {
  return schema.type === 'list' ? schema.items : anything;
}

function metadata(schema: Schema, field: FieldSchema | undefined): PatchMetadata {
  const list: Partial<ListSchema> = schema.type === 'list' ? schema : {};
  const strategies = list.patchStrategy ?? field?.patchStrategy ?? [];
  const strategy = strategies.find((name) => name !== 'retainKeys') as PatchMetadata['strategy'];
  return { schema, strategy, retainKeys: strategies.includes('retainKeys'), mergeKey: list.mergeKey };
}

function typeName(schema: Schema): string {
  return schema.type === 'object' ? (schema.name.split('.').at(-1) ?? '') : schema.type;
}
