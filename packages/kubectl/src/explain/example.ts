import type { ResourceInfo } from '@coracle/apimachinery';
import { type Fields, formatYaml, isRecord, recordAt, textAt, textsAt } from '../values.js';
import { type OpenApiSchemas, resolved } from './openapi-schemas.js';

const deepest = 12;

/** An object of a kind, or the value of one of its fields, with what is required filled in. */
export function exampleOf(schemas: OpenApiSchemas, mapping: ResourceInfo, path: readonly string[]): string {
  let schema = schemas.root;
  for (const name of path) {
    const target = valueSchema(schemas, schema);
    schema = (recordAt(target, 'properties')[name] ?? {}) as Fields;
  }
  const value = exampleValue(schemas, schema, 0);
  if (path.length > 0) return formatYaml({ [path.at(-1) ?? '']: value });
  const apiVersion = mapping.group === '' ? mapping.version : `${mapping.group}/${mapping.version}`;
  const head = { apiVersion, kind: mapping.kind, metadata: { name: `my-${mapping.kind.toLowerCase()}` } };
  const spec = recordAt(schemas.root, 'properties', 'spec');
  const body = Object.keys(spec).length > 0 ? { spec: exampleValue(schemas, spec, 0) } : {};
  return formatYaml({ ...(isRecord(value) ? value : {}), ...head, ...body });
}

function valueSchema(schemas: OpenApiSchemas, schema: Fields): Fields {
  const { schema: target } = resolved(schemas, schema);
  return isRecord(target['items']) ? valueSchema(schemas, target['items']) : target;
}

function exampleValue(schemas: OpenApiSchemas, schema: Fields, depth: number): unknown {
  const { schema: target } = resolved(schemas, schema);
  if (target['default'] !== undefined && Object.keys(recordAt(target, 'properties')).length === 0)
    return target['default'];
  const [first] = textsAt(target, 'enum');
  if (first !== undefined) return first;
  switch (textAt(target, 'type')) {
    case 'string':
      return textAt(target, 'format') === 'date-time' ? '2026-01-01T00:00:00Z' : 'string';
    case 'integer':
    case 'number':
      return Number(target['minimum'] ?? 0);
    case 'boolean':
      return false;
    case 'array':
      return depth < deepest ? [exampleValue(schemas, recordAt(target, 'items'), depth + 1)] : [];
    default: {
      const value: Fields = {};
      if (depth >= deepest) return value;
      for (const name of textsAt(target, 'required'))
        value[name] = exampleValue(schemas, recordAt(target, 'properties', name), depth + 1);
      return value;
    }
  }
}
