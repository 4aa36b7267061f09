import { expect, test } from 'vitest';
import { agedText, durationMs } from './age.js';

test.each([
  ['3m29s', 209_000],
  ['5d3h', 442_800_000],
  ['0s', 0],
  ['<none>', undefined],
  ['', undefined],
])('%j lasts %j ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each([
  ['12s', 60_000, '72s'],
  ['3m29s (x5 over 10m)', 60_000, '4m29s (x5 over 10m)'],
  ['6 (2m59s ago)', 1_000, '6 (3m ago)'],
  ['0', 60_000, '0'],
  ['<none>', 60_000, '<none>'],
])('%j reads %i ms later %j', (text, laterMs, expected) => {
  expect(agedText(text, laterMs)).toBe(expected);
});
