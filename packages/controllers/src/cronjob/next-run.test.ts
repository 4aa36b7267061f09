import { type CronSchedule, parseSchedule } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastDueRun, nextRun } from './next-run.js';
import { formatInZone, timeZone, utc } from './time-zone.js';

const schedule = (text: string) => parseSchedule(text) as CronSchedule;
const at = (text: string) => parseTime(text) as number;

describe('nextRun', () => {
  test.each([
    ['*/15 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z'],
    ['*/15 * * * *', '2026-01-01T00:14:59Z', '2026-01-01T00:15:00Z'],
    ['0 9 * * 1-5', '2026-01-02T10:00:00Z', '2026-01-05T09:00:00Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    // If both day fields are restricted, either may match.
    ['0 0 13 * fri', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    // A day field of `*` leaves the decision to the other; a step does not count as `*`.
    ['0 0 13 * *', '2026-01-01T00:00:00Z', '2026-01-13T00:00:00Z'],
    ['0 0 */2 * 1', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'],
    ['@monthly', '2026-01-15T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@every 90m', '2026-01-01T00:00:00Z', '2026-01-01T01:30:00Z'],
  ])('%s after %s is %s', (text, after, expected) => {
    expect(formatTime(nextRun(schedule(text), at(after), utc) ?? 0)).toBe(expected);
  });

  test('is undefined for a day that never occurs', () => {
    expect(nextRun(schedule('0 0 30 2 *'), 0, utc)).toBeUndefined();
  });

  test.each([
    // UTC+1 in winter, UTC+2 in summer.
    ['0 9 * * *', '2026-01-10T00:00:00Z', '2026-01-10T08:00:00Z'],
    ['0 9 * * *', '2026-07-10T00:00:00Z', '2026-07-10T07:00:00Z'],
    // 02:30 does not exist on 29 March, and occurs twice on 25 October.
    ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z'],
    ['30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
  ])('in Berlin, %s after %s is %s', (text, after, expected) => {
    expect(formatTime(nextRun(schedule(text), at(after), timeZone('Europe/Berlin')) ?? 0)).toBe(expected);
  });

  test('is after the given time, and no earlier run is skipped', () => {
    const field = (max: number, min = 0) =>
      fc.oneof(fc.constant('*'), fc.integer({ min, max }).map(String), fc.constant('*/7'));
    const texts = fc.tuple(field(59), field(23), field(28, 1), field(12, 1), field(6)).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 4e9 }), (text, seconds) => {
        const run = nextRun(schedule(text), seconds * 1000, utc) as number;
        expect(run).toBeGreaterThan(seconds * 1000);
        expect(run % 60_000).toBe(0);
        expect(nextRun(schedule(text), run - 1, utc)).toBe(run);
      }),
      { numRuns: 200 },
    );
  });
});

describe('lastDueRun', () => {
  test.each([
    ['nothing before the first', '0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:59:00Z', undefined],
    ['the only one', '0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', '2026-01-01T01:00:00Z'],
    ['the last of many', '* * * * *', '2025-01-01T00:00:00Z', '2026-01-01T00:00:30Z', '2026-01-01T00:00:00Z'],
    [
      'the last where runs are far apart',
      '0 9 1 * *',
      '2025-01-01T00:00:00Z',
      '2026-01-15T00:00:00Z',
      '2026-01-01T09:00:00Z',
    ],
  ])('is %s', (_name, text, since, now, expected) => {
    const due = lastDueRun(schedule(text), { since: at(since), now: at(now) }, utc);
    expect(due && formatTime(due.at)).toBe(expected);
  });
});

test('times are written with the offset of their time zone', () => {
  expect(formatInZone(at('2026-07-10T07:00:00Z'), timeZone('Europe/Berlin'))).toBe('2026-07-10T09:00:00+02:00');
  expect(formatInZone(at('2026-07-10T07:00:00Z'), utc)).toBe('2026-07-10T07:00:00Z');
});
