import { isRecord } from '@coracle/base';
import type { Schema } from '../schema.js';

/** The paths of the atomic fields of a configuration: lists, maps and objects. */
export function atomicFieldsIn(config: unknown, schema: Schema): string[] {
  const found: string[] = [];
  look(config, schema, { path: '', found });
  return found;
}

interface Place {
  readonly path: string;
  readonly found: string[];
}

function look(value: unknown, schema: Schema, { path, found }: Place): void {
  switch (schema.type) {
    case 'list':
      if (!Array.isArray(value)) return;
      if (schema.listType !== 'map' && schema.listType !== 'set') found.push(path);
      else for (const [index, item] of value.entries()) look(item, schema.items, { path: `${path}[${index}]`, found });
      return;
    case 'map':
    case 'object':
      if (!isRecord(value)) return;
      if (schema.mapType === 'atomic') found.push(path);
      else
        for (const [name, field] of Object.entries(value)) {
          const below = schema.type === 'map' ? schema.values : schema.fields.get(name)?.schema;
          if (below) look(field, below, { path: `${path}.${name}`, found });
        }
      return;
    default:
  }
}
