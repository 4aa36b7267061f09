import type { apiextensionsv1 } from '@coracle/api';
import { formatAge, type KubeObject, type TableColumn, type TablePrinter } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { parseJsonPath } from './json-path.js';

type Definition = apiextensionsv1.CustomResourceColumnDefinition;

interface Column {
  readonly shown: TableColumn;
  readonly timed: boolean;
  readonly cell: (object: KubeObject, now: Millis) => unknown;
}

const name: Column = {
  shown: { name: 'Name', type: 'string', format: 'name', priority: 0, description: 'The name of the object.' },
  timed: false,
  cell: ({ metadata }) => metadata.name ?? '',
};
const age: Definition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'The time since the object was created.',
};

/** The table of a custom resource: the name, and the columns that its definition has, or else its age. */
export function customPrinter(definitions: readonly Definition[] | undefined): TablePrinter {
  const columns = [name, ...(definitions?.length ? definitions : [age]).map(columnOf)];
  return {
    columns: columns.map(({ shown }) => shown),
    timed: columns.flatMap(({ timed }, index) => (timed ? [index] : [])),
    cell: (object, column, now) => columns[column]?.cell(object, now),
    cells: (object, now) => columns.map(({ cell }) => cell(object, now)),
  };
}

function columnOf({ name: title, type, format = '', description = '', priority = 0, jsonPath }: Definition): Column {
  const read = parseJsonPath(jsonPath);
  const value = (object: KubeObject) => read?.(object) ?? [];
  return {
    shown: { name: title, type, format, description, priority },
    timed: type === 'date',
    cell: (object, now) => cellOf(type, value(object), now),
  };
}

/** What there is nothing of is shown as nothing. */
function cellOf(type: string, values: readonly unknown[], now: Millis): unknown {
  const [first] = values;
  if (first === undefined || first === null) return null;
  switch (type) {
    case 'integer':
      return typeof first === 'number' ? Math.trunc(first) : null;
    case 'number':
      return typeof first === 'number' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    case 'date':
      return typeof first === 'string' ? formatAge(first, now) : null;
    default:
      return values.map(textOf).join(',');
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
