import { agingColumns, durationMs } from '../model/age.js';
import { stateOf } from '../model/pod-map.js';
import type { Cell, Column, Row } from '../model/table.js';

/** The visible rows, and their order. */
export interface View {
  readonly search: string;
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
}

/** A row in its place. The place stays while what it is sorted by stays, whatever else changes. */
interface Slot {
  row: Row;
  value: string | number;
  matches: boolean;
}

/** `state:failing` finds pods as the overview counts them. */
const stateWord = 'state:';

const collator = new Intl.Collator('en', { numeric: true });

/**
 * Rows that come and go, in the order of a view. A change costs the time of that change; putting the order right costs
 * one pass over all rows, however many have changed since its last use.
 */
export class RowStore {
  readonly #slots = new Map<string, Slot>();
  /** Those that match, in order, but for what is in `#moved`. */
  #order: Slot[] = [];
  /** Slots whose position must be computed again, or that were removed. */
  readonly #moved = new Set<Slot>();
  #columns: readonly Column[] = [];
  #view: View = { search: '', sort: undefined };
  #words: readonly string[] = [];

  get size(): number {
    return this.#slots.size;
  }

  setColumns(columns: readonly Column[]): void {
    this.#columns = columns;
    this.#reorder();
  }

  setView(view: View): void {
    this.#view = view;
    this.#words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
    this.#reorder();
  }

  put(row: Row): void {
    const key = keyOfRow(row);
    const slot = this.#slots.get(key);
    if (!slot) {
      const made = { row, ...this.#placeOf(row) };
      this.#slots.set(key, made);
      this.#moved.add(made);
      return;
    }
    const { value, matches } = this.#placeOf(row);
    slot.row = row;
    if (slot.value === value && slot.matches === matches) return;
    Object.assign(slot, { value, matches });
    this.#moved.add(slot);
  }

  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    this.#slots.delete(key);
    slot.matches = false;
    this.#moved.add(slot);
  }

  /** Removes rows that `stays` does not include. */
  retain(stays: (key: string) => boolean): void {
    for (const key of this.#slots.keys()) if (!stays(key)) this.delete(key);
  }

  get matched(): number {
    this.#settle();
    return this.#order.length;
  }

  rows(from: number, to: number): Row[] {
    this.#settle();
    return this.#order.slice(from, to).map(({ row }) => row);
  }

  indexOf(key: string): number {
    this.#settle();
    const slot = this.#slots.get(key);
    return slot ? this.#order.indexOf(slot) : -1;
  }

  all(): Iterable<Row> {
    return [...this.#slots.values()].map(({ row }) => row);
  }

  #reorder(): void {
    for (const slot of this.#slots.values()) Object.assign(slot, this.#placeOf(slot.row));
    this.#moved.clear();
    this.#order = [...this.#slots.values()].filter(({ matches }) => matches).sort(this.#compare);
  }

  /** Takes out what has moved, and merges it in where it belongs now. */
  #settle(): void {
    if (this.#moved.size === 0) return;
    const stayed = this.#order.filter((slot) => !this.#moved.has(slot));
    const moved = [...this.#moved].filter(({ matches }) => matches).sort(this.#compare);
    this.#moved.clear();
    this.#order = merged(stayed, moved, this.#compare);
  }

  readonly #compare = (a: Slot, b: Slot): number => {
    const way = this.#view.sort?.descending ? -1 : 1;
    return way * compareValues(a.value, b.value) || compareValues(keyOfRow(a.row), keyOfRow(b.row));
  };

  #placeOf(row: Row): Pick<Slot, 'value' | 'matches'> {
    return { value: this.#valueOf(row), matches: this.#matches(row) };
  }

  #valueOf(row: Row): string | number {
    const { sort } = this.#view;
    if (!sort) return keyOfRow(row);
    if (sort.column === 'Namespace') return row.metadata.namespace ?? '';
    // The server's text of an age is as old as the row; the time of the creation is not.
    if (sort.column === 'Age') return -Date.parse(row.metadata.creationTimestamp ?? '') || 0;
    const cell = this.#cell(row, sort.column);
    const ago = agingColumns.has(sort.column) ? durationMs(String(cell).split(' ')[0] ?? '') : undefined;
    return ago === undefined ? sortable(cell) : ago - row.readAt;
  }

  #matches(row: Row): boolean {
    if (this.#words.length === 0) return true;
    const text = `${row.metadata.namespace ?? ''} ${row.cells.join(' ')}`.toLowerCase();
    const has = (word: string) =>
      word.startsWith(stateWord) ? this.#stateOf(row) === word.slice(stateWord.length) : text.includes(word);
    return this.#words.every((word) => (word.startsWith('!') ? !has(word.slice(1)) : has(word)));
  }

  #stateOf(row: Row): string {
    return stateOf(String(this.#cell(row, 'Status') ?? ''), String(this.#cell(row, 'Ready') ?? ''));
  }

  #cell(row: Row, column: string): Cell {
    return row.cells[this.#columns.findIndex(({ name }) => name === column)] ?? null;
  }
}

export function keyOfRow({ metadata }: Row): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '');
}

function sortable(cell: Cell): string | number {
  return typeof cell === 'number' ? cell : String(cell ?? '');
}

function compareValues(a: string | number, b: string | number): number {
  if (a === b) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

function merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): T[] {
  if (b.length === 0) return [...a];
  const all: T[] = [];
  let i = 0;
  for (const one of b) {
    while (i < a.length && compare(a[i] as T, one) <= 0) all.push(a[i++] as T);
    all.push(one);
  }
  while (i < a.length) all.push(a[i++] as T);
  return all;
}
