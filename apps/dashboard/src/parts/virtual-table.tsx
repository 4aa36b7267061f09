import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { TableUpdate } from '../data/messages.js';
import { type ShownColumn, widthsFor } from '../model/columns.js';
import type { WindowRow } from '../model/table.js';
import { useWords } from '../words/use-words.js';
import { CellText } from './cell-text.js';
import { Link } from './link.js';

const rowHeight = 32;
/** Rows beyond the edges that are held ready, so that fast scrolling shows rows and not gaps. */
const spare = 60;

interface VirtualTableProps {
  readonly label: string;
  readonly kind: string;
  readonly columns: readonly ShownColumn[];
  readonly update: TableUpdate;
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
  readonly onSort: (sort: string) => void;
  readonly onWindow: (from: number, to: number) => void;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
  readonly hrefOf: (row: WindowRow) => string;
}

/** A table of any length. Only rows in view are in the page; the scroll bar is as long as all of them. */
export function VirtualTable(props: VirtualTableProps) {
  const { columns, update, onWindow, selected } = props;
  const w = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const view = useVisibleRows(scroller, onWindow);
  const widths = useWidths(columns, update.rows, props.kind);
  const all = columns.map(({ name }) => widths[name] ?? 0);
  // Remaining width is shared in proportion, so that columns are not far apart.
  const template = all.map((width) => `minmax(${width}px, ${width}fr)`).join(' ');
  const least = all.reduce((sum, width) => sum + width, 0);
  const index = update.rows.findIndex(({ key }) => key === selected);
  useLayoutEffect(() => {
    if (index >= 0) scrollTo(scroller.current, update.from + index);
  }, [index, update.from]);
  const first = Math.max(0, view.first - 12 - update.from);
  const shown = update.rows.slice(first, Math.max(0, view.last + 12 - update.from));
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are positioned by their index, which table elements cannot be.
    <div
      className="rows"
      ref={scroller}
      role="grid"
      aria-label={props.label}
      aria-rowcount={update.matched + 1}
      // Until the server has named the columns there is not even a head.
      aria-busy={columns.length === 0}
      tabIndex={0}
    >
      <div className="rows-inner" style={{ height: (update.matched + 1) * rowHeight, minWidth: least }}>
        {columns.length > 0 && <Head {...props} template={template} />}
        {shown.map((row, at) => (
          <TableRow
            key={row.key}
            row={row}
            index={update.from + first + at}
            columns={columns}
            template={template}
            isSelected={row.key === selected}
            onSelect={props.onSelect}
            href={props.hrefOf(row)}
            kind={props.kind}
          />
        ))}
      </div>
      {update.matched === 0 && update.state.at !== 'loading' && update.state.at !== 'failed' && (
        <div className="empty">
          <b>{w.nothingHere}</b>
          {update.total > 0 ? w.noMatch : w.noneYet}
        </div>
      )}
    </div>
  );
}

function scrollTo(element: HTMLElement | null, row: number): void {
  if (!element) return;
  const top = row * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  const below = top + 2 * rowHeight - element.clientHeight;
  if (below > element.scrollTop) element.scrollTop = below;
}

function useVisibleRows(
  scroller: React.RefObject<HTMLDivElement | null>,
  onWindow: (from: number, to: number) => void,
): { readonly first: number; readonly last: number } {
  const [view, setView] = useState({ first: 0, last: 40 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight);
      setView((before) => (before.first === first && before.last === last ? before : { first, last }));
      // In steps, so that not every pixel requests another part.
      const from = Math.max(0, Math.floor((first - spare) / 20) * 20);
      onWindow(from, Math.ceil((last + spare) / 20) * 20);
    };
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, [scroller, onWindow]);
  return view;
}

function useWidths(columns: readonly ShownColumn[], rows: readonly WindowRow[], kind: string): Record<string, number> {
  const measured = useRef<{ kind: string; widths: Record<string, number> }>({ kind, widths: {} });
  if (measured.current.kind !== kind) measured.current = { kind, widths: {} };
  measured.current.widths = { ...measured.current.widths, ...widthsFor(columns, rows, measured.current.widths) };
  return measured.current.widths;
}

function Head({ columns, sort, onSort, template }: VirtualTableProps & { readonly template: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons take the focus.
    <div className="row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {columns.map(({ name, isNumber, description }) => {
        const isSorted = sort?.column === name;
        const order = isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none';
        const next = isSorted ? (sort.descending ? '' : `-${name}`) : name;
        return (
          // biome-ignore lint/a11y/useSemanticElements: see above.
          // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus.
          <div key={name} role="columnheader" aria-sort={order} className={isNumber ? 'number' : ''}>
            <button type="button" title={description} onClick={() => onSort(next)}>
              {name}
              {isSorted && <span aria-hidden="true">{sort.descending ? '↓' : '↑'}</span>}
            </button>
          </div>
        );
      })}
    </div>
  );
}

interface TableRowProps {
  readonly row: WindowRow;
  readonly index: number;
  readonly columns: readonly ShownColumn[];
  readonly template: string;
  readonly isSelected: boolean;
  readonly onSelect: (key: string) => void;
  readonly href: string;
  readonly kind: string;
}

const TableRow = memo(
  function TableRow({ row, index, columns, template, isSelected, onSelect, href, kind }: TableRowProps) {
    return (
      // biome-ignore lint/a11y/useSemanticElements: see above.
      // biome-ignore lint/a11y/useKeyWithClickEvents: j and k choose rows.
      <div
        className={row.isEnding ? 'row ending' : 'row'}
        role="row"
        tabIndex={-1}
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        style={{ gridTemplateColumns: template, transform: `translateY(${(index + 1) * rowHeight}px)`, top: 0 }}
        onClick={() => onSelect(row.key)}
      >
        {columns.map((column, at) => (
          // biome-ignore lint/a11y/useSemanticElements: see above.
          // biome-ignore lint/a11y/useFocusableInteractive: cells are read, not used.
          <div key={column.name} role="gridcell" className={column.isNumber ? 'number' : ''}>
            {at === 0 ? (
              <Link href={href}>
                {column.name === 'Name' ? row.name : <CellText column={column} row={row} kind={kind} />}
              </Link>
            ) : (
              <CellText column={column} row={row} kind={kind} />
            )}
          </div>
        ))}
      </div>
    );
  },
  (a, b) =>
    a.row.version === b.row.version &&
    a.row.key === b.row.key &&
    a.index === b.index &&
    a.columns === b.columns &&
    a.template === b.template &&
    a.isSelected === b.isSelected &&
    a.href === b.href &&
    sameCells(a.row, b.row),
);

/** Some cells change without a change of the object: pods of a node, ages. */
function sameCells(a: WindowRow, b: WindowRow): boolean {
  return a.cells.every((cell, index) => cell === b.cells[index]);
}
