import { fieldReader, formatAge, formatJsonPathValue, type KubeObject, type TablePrinter } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { CustomResourceColumnDefinition } from '../generated/types/apiextensions-v1.js';
import { type Column, name, tablePrinter } from './table-printer.js';

const ageDefinition: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'The time since the object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of custom resources: name and the columns of their version; age if it has none. */
export function printerFromColumns(definitions: readonly CustomResourceColumnDefinition[] = []): TablePrinter {
  const columns = definitions.length > 0 ? definitions : [ageDefinition];
  return tablePrinter<KubeObject>([name, ...columns.map(customColumn)]);
}

/** Cells of objects that have no such field, or another type in it, stay empty. */
function customColumn(definition: CustomResourceColumnDefinition): Column<KubeObject> {
  const read = fieldReader(definition.jsonPath);
  return {
    name: definition.name,
    type: definition.type,
    format: definition.format ?? '',
    description:
      definition.description || `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`,
    priority: definition.priority ?? 0,
    timed: definition.type === 'date',
    cell: (object, now) => formatCell(definition.type, read(object), now),
  };
}

function formatCell(type: string, value: unknown, now: Millis): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return formatJsonPathValue(value);
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? formatDate(value, now) : null;
    default:
      return null;
  }
}

function formatDate(value: string, now: Millis): string {
  const age = formatAge(value, now);
  return age === '<unknown>' ? '<invalid>' : age;
}
