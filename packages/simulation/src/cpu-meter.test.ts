import { expect, test } from 'vitest';
import { CpuMeter } from './cpu-meter.js';

test('CPU time grows with the usage, and never decreases', () => {
  const meter = new CpuMeter();
  expect(meter.read(2, 1_000, 3_000)).toBe(4e9);
  expect(meter.read(0.5, 1_000, 4_000)).toBe(6e9);
  expect(meter.read(0, 1_000, 6_000)).toBe(7e9);
  expect(meter.read(0, 1_000, 60_000)).toBe(7e9);
});
