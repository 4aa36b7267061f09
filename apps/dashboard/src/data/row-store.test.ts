import { expect, test } from 'vitest';
import type { Cell, Column, Row } from '../model/table.js';
import { RowStore, type View } from './row-store.js';

const columns: Column[] = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'Status', type: 'string', priority: 0 },
  { name: 'Restarts', type: 'integer', priority: 0 },
];

function row(name: string, ...cells: Cell[]): Row {
  return { metadata: { name, namespace: 'default' }, cells: [name, ...cells], readAt: 1_000_000 };
}

function store(view: Partial<View> = {}): RowStore {
  const made = new RowStore();
  made.setColumns(columns);
  made.setView({ search: '', sort: undefined, ...view });
  for (const one of [row('b', 'Running', 10), row('a', 'Pending', 2), row('c', 'Running', 9)]) made.put(one);
  return made;
}

const names = (rows: RowStore) => rows.rows(0, 10).map(({ metadata }) => metadata.name);

test.each<[string, Partial<View>, string[]]>([
  ['by name by default', {}, ['a', 'b', 'c']],
  ['numbers as numbers', { sort: { column: 'Restarts', descending: false } }, ['a', 'c', 'b']],
  ['the other way', { sort: { column: 'Restarts', descending: true } }, ['b', 'c', 'a']],
  ['those that hold every word', { search: 'running c' }, ['c']],
  ['those that do not hold a word', { search: '!running' }, ['a']],
])('shows rows %s', (_, view, expected) => {
  expect(names(store(view))).toEqual(expected);
});

test('finds the positions of changed rows, and drops deleted ones', () => {
  const rows = store({ sort: { column: 'Restarts', descending: false } });
  expect(names(rows)).toEqual(['a', 'c', 'b']);
  rows.put(row('a', 'Running', 11));
  rows.put(row('d', 'Running', 10));
  rows.delete('default/c');
  expect(names(rows)).toEqual(['b', 'd', 'a']);
  expect({ size: rows.size, matched: rows.matched, index: rows.indexOf('default/a') }).toEqual({
    size: 3,
    matched: 3,
    index: 2,
  });
});

test('keeps the order when something else changes', () => {
  const rows = store();
  expect(names(rows)).toEqual(['a', 'b', 'c']);
  rows.put(row('b', 'Failed', 11));
  expect(rows.rows(1, 2)[0]?.cells[1]).toBe('Failed');
});

test('a row that no longer matches is not shown', () => {
  const rows = store({ search: 'running' });
  expect(rows.matched).toBe(2);
  rows.put(row('b', 'Failed', 10));
  expect({ names: names(rows), size: rows.size }).toEqual({ names: ['c'], size: 3 });
});

test('a thousand changes among many cost one pass', () => {
  const rows = new RowStore();
  rows.setColumns(columns);
  for (let i = 0; i < 5_000; i++) rows.put(row(`pod-${i}`, 'Running', i));
  expect(rows.rows(0, 3).map(({ metadata }) => metadata.name)).toEqual(['pod-0', 'pod-1', 'pod-2']);
  for (let i = 0; i < 1_000; i++) rows.delete(`default/pod-${i}`);
  expect(rows.rows(0, 1)[0]?.metadata.name).toBe('pod-1000');
});

test('how long ago something was is sorted by the time, whenever the row was read', () => {
  const rows = new RowStore();
  rows.setColumns([{ name: 'Last Seen', type: 'string', priority: 0 }]);
  rows.setView({ search: '', sort: { column: 'Last Seen', descending: false } });
  const seen = (name: string, text: string, readAt: number): Row => ({ ...row(name), cells: [text], readAt });
  rows.put(seen('old', '10s', 0));
  rows.put(seen('new', '12s (x3 over 5m)', 60_000));
  rows.put(seen('oldest', '1h', 60_000));
  expect(names(rows)).toEqual(['new', 'old', 'oldest']);
});

test('pods are found by the state that the overview counts', () => {
  const rows = store({ search: 'state:waiting' });
  rows.setColumns([
    { name: 'Name', type: 'string', priority: 0 },
    { name: 'Status', type: 'string', priority: 0 },
    { name: 'Ready', type: 'string', priority: 0 },
  ]);
  rows.put(row('ok', 'Running', '1/1'));
  rows.put(row('slow', 'Running', '0/1'));
  rows.put(row('bad', 'CrashLoopBackOff', '0/1'));
  expect(names(rows)).toContain('slow');
  expect(names(rows)).not.toContain('ok');
  rows.setView({ search: 'state:failing', sort: undefined });
  expect(names(rows)).toEqual(['bad']);
});
