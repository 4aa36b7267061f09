import { writeJson } from '@coracle/apimachinery';
import { groupOf, kindName } from '../resources/info.js';
import { type Fields, isRecord, listAt, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';
import { TableWriter } from './tab-writer.js';

export interface TableOptions {
  readonly noHeaders?: boolean;
  readonly wide?: boolean;
  readonly withNamespace?: boolean;
  readonly showLabels?: boolean;
  readonly labelColumns?: readonly string[];
  /** Prefix of names, such as `deployment.apps`. */
  readonly kindPrefix?: string;
  /** The first column says what happened. */
  readonly withEvents?: boolean;
}

/** Prints tables that the server made. The columns of the first count for all that follow. */
export class TablePrinter {
  readonly #options: TableOptions;
  readonly #writer = new TableWriter();
  #columns: readonly Fields[] = [];
  #hasHeader = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** The text of the rows of tables, with the header before the first. */
  print(tables: readonly Fields[], event = ''): string {
    for (const table of tables) {
      const columns = recordsAt(table, 'columnDefinitions');
      if (columns.length > 0 && this.#columns.length === 0) this.#columns = columns;
    }
    const rows = tables.flatMap((table) => recordsAt(table, 'rows')).map((row) => this.#row(row, event));
    const header = this.#hasHeader || this.#options.noHeaders ? [] : [this.#header()];
    this.#hasHeader = true;
    return this.#writer.format([...header, ...rows]);
  }

  #isShown(column: Fields): boolean {
    return this.#options.wide === true || !(Number(column['priority'] ?? 0) > 0);
  }

  #header(): string[] {
    const { withEvents, withNamespace, labelColumns = [], showLabels } = this.#options;
    return [
      ...(withEvents ? ['EVENT'] : []),
      ...(withNamespace ? ['NAMESPACE'] : []),
      ...this.#columns.filter((column) => this.#isShown(column)).map((column) => textAt(column, 'name').toUpperCase()),
      ...labelColumns.map((label) => (label.split('/').at(-1) ?? '').toUpperCase()),
      ...(showLabels ? ['LABELS'] : []),
    ];
  }

  #row(row: Fields, event: string): string[] {
    const { withEvents, withNamespace, labelColumns = [], showLabels, kindPrefix } = this.#options;
    const cells = listAt(row, 'cells');
    const metadata = recordAt(row, 'object', 'metadata');
    const labels = stringMapAt(metadata, 'labels');
    const shown = this.#columns
      .map((column, i) => ({ column, text: cellText(cells[i]) }))
      .filter(({ column }) => this.#isShown(column))
      .map(({ column, text }) => (kindPrefix && column['format'] === 'name' ? `${kindPrefix}/${text}` : text));
    return [
      ...(withEvents ? [event.padEnd(8)] : []),
      ...(withNamespace ? [textAt(metadata, 'namespace')] : []),
      ...shown,
      ...labelColumns.map((label) => labels[label] ?? ''),
      ...(showLabels ? [formatLabels(labels)] : []),
    ];
  }
}

/** Only the first line is shown. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = isRecord(value) || Array.isArray(value) ? writeJson(value) : String(value);
  const end = text.search(/[\n\r\f]/);
  return end < 0 ? text.replaceAll('\u001b', '^[') : `${text.slice(0, end)}...`;
}

/** `a=b,c=d`, in order. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}

/** A table of names and ages, for objects that came without one. */
export function plainTable(objects: readonly Fields[], formatAge: (timestamp: string) => string): Fields {
  return {
    columnDefinitions: [{ name: 'Name', format: 'name' }, { name: 'Age' }],
    rows: objects.map((object) => ({
      cells: [textAt(object, 'metadata', 'name'), formatAge(textAt(object, 'metadata', 'creationTimestamp'))],
      object,
    })),
  };
}

export function isTable(object: Fields): boolean {
  return object['kind'] === 'Table' && textAt(object, 'apiVersion').startsWith('meta.k8s.io/');
}

/** `deployment.apps`, of an object. */
export function kindPrefixOf(object: Fields): string {
  return kindName(textAt(object, 'kind'), groupOf(textAt(object, 'apiVersion')));
}
