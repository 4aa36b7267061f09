import { describe, expect, it } from 'vitest';
import { formatAge, formatHumanDuration } from './human-duration.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe('formatHumanDuration', () => {
  it.each([
    [-2 * second, '<invalid>'],
    [-1999, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [999, '0s'],
    [second, '1s'],
    [2 * minute - 1, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 10 * second, '2m10s'],
    [10 * minute - 1, '9m59s'],
    [10 * minute + 59 * second, '10m'],
    [3 * hour - 1, '179m'],
    [3 * hour, '3h'],
    [3 * hour + minute, '3h1m'],
    [8 * hour - 1, '7h59m'],
    [8 * hour + 59 * minute, '8h'],
    [2 * day - 1, '47h'],
    [2 * day, '2d'],
    [3 * day + 4 * hour, '3d4h'],
    [8 * day - 1, '7d23h'],
    [8 * day + 23 * hour, '8d'],
    [2 * year - 1, '729d'],
    [2 * year, '2y'],
    [2 * year + 30 * day, '2y30d'],
    [8 * year - 1, '7y364d'],
    [8 * year + 200 * day, '8y'],
  ])('writes %d ms as %s', (span, text) => {
    expect(formatHumanDuration(span)).toBe(text);
  });
});

describe('formatAge', () => {
  const now = Date.parse('2026-01-01T00:00:10Z');
  it.each([
    ['2026-01-01T00:00:00Z', '10s'],
    ['2026-01-01T00:00:08.500000Z', '1s'],
    ['2026-01-01T00:00:20Z', '<invalid>'],
    ['soon', '<unknown>'],
    [undefined, '<unknown>'],
    [null, '<unknown>'],
  ])('takes %s for %s ago', (timestamp, text) => {
    expect(formatAge(timestamp, now)).toBe(text);
  });
});
