import { agedText, ageOf, agingColumns } from '../model/age.js';
import type { ShownColumn } from '../model/columns.js';
import { stateOf } from '../model/pod-map.js';
import type { WindowRow } from '../model/table.js';
import { useNow } from './use-now.js';

interface CellTextProps {
  readonly column: ShownColumn;
  readonly row: WindowRow;
  readonly kind: string;
}

/** A cell: as text, with a colour for known values. Its content is always text. */
export function CellText({ column, row, kind }: CellTextProps) {
  const cell = column.cellOf(row);
  if (column.name === 'Age') return <Age since={String(cell ?? '')} />;
  const text = cell === null ? '' : String(cell);
  if (agingColumns.has(column.name)) return <Aging text={text} readAt={row.readAt} />;
  const look = lookOf(column.name, text, { row, kind });
  return look ? <span className={`badge ${look}`}>{text}</span> : <span title={text}>{text}</span>;
}

function Age({ since }: { readonly since: string }) {
  return <>{ageOf(since, useNow(10_000))}</>;
}

function Aging({ text, readAt }: { readonly text: string; readonly readAt: number }) {
  const now = useNow(10_000);
  const shown = agedText(text, Math.max(0, now - readAt));
  return <span title={shown}>{shown}</span>;
}

const words: Readonly<Record<string, string>> = {
  Active: 'running',
  Bound: 'running',
  Ready: 'running',
  Available: 'running',
  Complete: 'done',
  Completed: 'done',
  Running: 'running',
  True: 'running',
  Pending: 'waiting',
  Released: 'waiting',
  Suspended: 'waiting',
  Terminating: 'ending',
  False: 'failing',
  Failed: 'failing',
  Lost: 'failing',
  NotReady: 'failing',
  Warning: 'waiting',
  Normal: 'done',
};

function lookOf(name: string, text: string, { row, kind }: Pick<CellTextProps, 'row' | 'kind'>): string | undefined {
  if (name !== 'Status' && name !== 'Type' && name !== 'Phase') return undefined;
  if (kind === 'pods') return stateOf(text, String(row.cells[1] ?? ''));
  return words[text.split(',')[0] ?? ''];
}
