import { formatAge, type KubeObject, type TableColumn, type TablePrinter } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** A column and how its cell is made from an object. */
export interface Column<T> extends TableColumn {
  readonly timed: boolean;
  readonly cell: (object: T, now: Millis) => unknown;
}

/** The parts of a printer beyond its columns. */
type Extras<T extends KubeObject> = Pick<TablePrinter<T>, 'conditions' | 'compare'>;

export function tablePrinter<T extends KubeObject>(
  columns: readonly Column<T>[],
  extras: Extras<T> = {},
): TablePrinter<T> {
  const cellFunctions = columns.map(({ cell }) => cell);
  return {
    columns: columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    timed: columns.flatMap(({ timed }, index) => (timed ? [index] : [])),
    cell: (object, column, now) => cellFunctions[column]?.(object, now),
    cells: (object, now) => cellFunctions.map((cell) => cell(object, now)),
    ...extras,
  };
}

export function text<T>(name: string, description: string, cell: (object: T) => unknown): Column<T> {
  return { name, type: 'string', format: '', description, priority: 0, timed: false, cell };
}

export function integer<T>(name: string, description: string, cell: (object: T) => unknown): Column<T> {
  return { ...text(name, description, cell), type: 'integer' };
}

export function boolean<T>(name: string, description: string, cell: (object: T) => unknown): Column<T> {
  return { ...text(name, description, cell), type: 'boolean' };
}

/** A cell that changes as time passes. */
export function timed<T>(name: string, description: string, cell: (object: T, now: Millis) => unknown): Column<T> {
  return { name, type: 'string', format: '', description, priority: 0, timed: true, cell };
}

/** The same column, shown in wide tables only. */
export function wide<T>(column: Column<T>): Column<T> {
  return { ...column, priority: 1 };
}

/** The same column, as one that names something. */
export function naming<T>(column: Column<T>): Column<T> {
  return { ...column, format: 'name' };
}

export const name: Column<KubeObject> = naming(
  text(
    'Name',
    'The name of the object, unique among those of its kind in a namespace.',
    ({ metadata }) => metadata.name ?? '',
  ),
);

export const age: Column<KubeObject> = timed('Age', 'The time since the object was created.', ({ metadata }, now) =>
  formatAge(metadata.creationTimestamp, now),
);

const createdAt: Column<KubeObject> = {
  ...text('Created At', 'When the object was created.', ({ metadata }) => metadata.creationTimestamp ?? ''),
  type: 'date',
};

/** For kinds without columns of their own. */
export const plainPrinter: TablePrinter = tablePrinter([name, createdAt]);
