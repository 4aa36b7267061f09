import { useCallback, useEffect, useRef, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import type { TableSpec, TableUpdate, Window } from '../data/messages.js';
import type { View } from '../data/row-store.js';
import type { OpenTable } from '../data/worker-tables.js';

const nothing: TableUpdate = { columns: [], total: 0, matched: 0, from: 0, rows: [], state: { at: 'loading' } };
const firstWindow = { from: 0, to: 120 };

/** A table of the worker, and the part of it that is in view. */
export function useTable(spec: TableSpec, { search, sort }: View) {
  const { tables } = useCluster();
  const [update, setUpdate] = useState(nothing);
  const opened = useRef<OpenTable | undefined>(undefined);
  const part = useRef(firstWindow);
  const sortText = JSON.stringify(sort);
  const view = useRef<View>({ search, sort });
  view.current = { search, sort };
  useEffect(() => {
    setUpdate(nothing);
    part.current = firstWindow;
    const table = tables.open(spec, { ...view.current, ...firstWindow }, setUpdate);
    opened.current = table;
    return () => table[Symbol.dispose]();
  }, [tables, spec]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sort is a new object each time; its text is not.
  useEffect(() => {
    opened.current?.look({ search, sort, ...part.current });
  }, [search, sortText]);
  const look = useCallback((from: number, to: number) => {
    if (part.current.from === from && part.current.to === to) return;
    part.current = { from, to };
    const window: Window = { ...view.current, from, to };
    opened.current?.look(window);
  }, []);
  return { update, look };
}
