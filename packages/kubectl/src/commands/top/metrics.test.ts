import { expect, test } from 'vitest';
import { sumOf, usageCells } from './metrics.js';

const usage = (cpuMilli: number, memoryBytes = 0, swapBytes = 0) => ({ cpuMilli, memoryBytes, swapBytes });

const cases = [
  { name: 'fractions are added before they are rounded up', usages: [usage(0.3), usage(0.4)], cells: ['1m', '0Mi'] },
  {
    name: 'what a sum of fractions is off by does not count',
    usages: [usage(0.1), usage(0.2), usage(0.7)],
    cells: ['1m', '0Mi'],
  },
  { name: 'memory is rounded down', usages: [usage(0, 1_048_575), usage(0, 1_048_576)], cells: ['0m', '1Mi'] },
];

test.each(cases)('$name', ({ usages, cells }) => {
  expect(usageCells(sumOf(usages), false)).toEqual(cells);
});

test('swap has a column of its own', () => {
  expect(usageCells(usage(1, 2_097_152, 1_048_576), true)).toEqual(['1m', '2Mi', '1Mi']);
});
