import { expect, test } from 'vitest';
import { UsageRates } from './usage-rates.js';

test('the rate is the growth in a second, and continues when the clock of the machine is set back', () => {
  const rates = new UsageRates();
  const totals: readonly (readonly [total: number, at: number])[] = [
    [1_000_000, 3_600_000],
    [3_000_000, 3_601_000],
    [3_500_000, 1_000],
    [5_500_000, 2_000],
  ];
  expect(totals.map(([total, at]) => rates.nanoCores('c', total, at))).toEqual([
    undefined,
    2_000_000,
    undefined,
    2_000_000,
  ]);
});
