import { describe, expect, it } from 'vitest';
import { printerFromColumns } from './custom-columns.js';

const now = Date.parse('2026-01-06T00:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };

describe('printerFromColumns', () => {
  it('shows name and age where nothing else is requested', () => {
    const { columns, cells, timed } = printerFromColumns();
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
    expect(cells({ metadata }, now)).toEqual(['x', '5d']);
    expect(timed).toEqual([1]);
  });

  it('copies the description of a column', () => {
    const column = { name: 'Size', type: 'integer', format: 'int32', description: 'How many.', priority: 1 };
    const { columns } = printerFromColumns([{ ...column, jsonPath: '.spec.size' }]);
    expect(columns[1]).toEqual(column);
  });

  it.each<readonly [string, string, unknown, unknown]>([
    ['string', '.spec.a', 'text', 'text'],
    ['string', '.spec.a', 3, '3'],
    ['string', '.spec.a', true, 'true'],
    ['string', '.spec.a', { b: [1] }, '{"b":[1]}'],
    ['string', '.spec.a', undefined, null],
    ['string', '.spec.a', null, null],
    ['string', '.spec.a[0].b', [{ b: 'first' }], 'first'],
    ['string', '.spec.a[1].b', [{ b: 'first' }], null],
    ['string', '.spec.a[0]', 'no list', null],
    ['string', '.spec.a[?(@.type=="Ready")].status', [{ type: 'Ready', status: 'True' }], 'True'],
    ['integer', '.spec.a', 3, 3],
    ['integer', '.spec.a', 3.7, 3],
    ['integer', '.spec.a', '3', null],
    ['number', '.spec.a', 0.5, 0.5],
    ['number', '.spec.a', 'half', null],
    ['boolean', '.spec.a', false, false],
    ['boolean', '.spec.a', 'yes', null],
    ['date', '.spec.a', '2026-01-05T23:59:30Z', '30s'],
    ['date', '.spec.a', 'yesterday', '<invalid>'],
    ['date', '.spec.a', 3, null],
  ])('shows a %s at %s of %j as %j', (type, jsonPath, a, cell) => {
    const object = { metadata, spec: { a } };
    expect(printerFromColumns([{ name: 'A', type, jsonPath }]).cells(object, now)).toEqual(['x', cell]);
  });
});
