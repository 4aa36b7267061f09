import type { Cell, Column, WindowRow } from './table.js';

/** A column of the page: one of the server's, or the namespace, which the server leaves to its clients. */
export interface ShownColumn {
  readonly name: string;
  readonly isNumber: boolean;
  readonly description: string;
  cellOf(row: WindowRow): Cell;
}

/** All that can be shown of a kind. */
export function columnsOf(columns: readonly Column[], withNamespace: boolean): ShownColumn[] {
  const own = columns.map(
    ({ name, type, description = '' }, index): ShownColumn => ({
      name,
      isNumber: type === 'integer' || type === 'number',
      description,
      // Ages are drawn from the time of creation: the text of the server is as old as the row.
      cellOf: (row) => (name === 'Age' ? (row.created ?? null) : (row.cells[index] ?? null)),
    }),
  );
  const namespace: ShownColumn = {
    name: 'Namespace',
    isNumber: false,
    description: '',
    cellOf: ({ namespace }) => namespace ?? '',
  };
  return withNamespace ? [...own.slice(0, 1), namespace, ...own.slice(1)] : own;
}

/** The columns that the user has selected, otherwise those of priority 0. */
export function chosenColumns(
  all: readonly ShownColumn[],
  server: readonly Column[],
  chosen: readonly string[] | undefined,
): ShownColumn[] {
  const wide = new Set(server.filter(({ priority }) => priority > 0).map(({ name }) => name));
  return all.filter(
    (column, index) => isFixed(column, index) || (chosen ? chosen.includes(column.name) : !wide.has(column.name)),
  );
}

/** The first column, and the namespace where objects of several are shown: without them rows cannot be distinguished. */
export function isFixed({ name }: ShownColumn, index: number): boolean {
  return index === 0 || name === 'Namespace';
}

const [shortest, longest, letter] = [70, 340, 8.2];

/** Widths in pixels of the visible cells. They only grow, so that columns do not jump while scrolling. */
export function widthsFor(
  columns: readonly ShownColumn[],
  rows: readonly WindowRow[],
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  const widths: Record<string, number> = {};
  for (const column of columns) {
    let longestText = column.name.length + 2;
    for (const row of rows) longestText = Math.max(longestText, textLength(column, row));
    const width = Math.min(longest, Math.max(shortest, Math.ceil(longestText * letter) + 28));
    widths[column.name] = Math.max(before[column.name] ?? 0, width);
  }
  return widths;
}

const withBadge = new Set(['Status', 'Type', 'Phase']);

function textLength(column: ShownColumn, row: WindowRow): number {
  if (column.name === 'Age') return 6;
  // A badge has a dot before its text.
  return String(column.cellOf(row) ?? '').length + (withBadge.has(column.name) ? 3 : 0);
}
