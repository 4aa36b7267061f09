import { expect, test } from 'vitest';
import { chosenColumns, columnsOf, widthsFor } from './columns.js';

const server = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'Status', type: 'string', priority: 0 },
  { name: 'Node', type: 'string', priority: 1 },
];

test.each([
  ['those of the server that are always shown', false, undefined, ['Name', 'Status']],
  ['with the namespace where there are several', true, undefined, ['Name', 'Namespace', 'Status']],
  ['those that were chosen', false, ['Node'], ['Name', 'Node']],
  ['and the namespace, though it was chosen in a table of one', true, ['Node'], ['Name', 'Namespace', 'Node']],
])('columns: %s', (_, withNamespace, chosen, expected) => {
  const shown = chosenColumns(columnsOf(server, withNamespace), server, chosen);
  expect(shown.map(({ name }) => name)).toEqual(expected);
});

test('widths fit the visible cells, and only grow', () => {
  const columns = columnsOf(server, false);
  const row = (name: string) => ({ key: name, name, isEnding: false, cells: [name, 'Running', ''], readAt: 0 });
  const first = widthsFor(columns, [row('a-rather-long-name')], {});
  const second = widthsFor(columns, [row('x')], first);
  expect(second).toEqual(first);
  expect(first['Name'] ?? 0).toBeGreaterThan(18 * 8);
});
