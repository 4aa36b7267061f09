import type { CronSchedule, FieldSchedule } from '@coracle/api';
import type { Millis } from '@coracle/base';
import { instantsOf, type TimeZone } from './time-zone.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A day that does not occur within five years, such as the 30th of February, never occurs. */
const mostDays = 5 * 366;

/** The first run after an instant, or `undefined` if there is none. */
export function nextRun(schedule: CronSchedule, after: Millis, zone: TimeZone): Millis | undefined {
  if (schedule.kind === 'every') return Math.floor(after / 1000) * 1000 + schedule.periodMs;
  const wall = after + zone.offsetAt(after);
  const today = Math.floor(wall / dayMs) * dayMs;
  for (let day = today, days = 0; days < mostDays; day += dayMs, days++) {
    if (!isDue(schedule, day)) continue;
    const run = runsOn(day, schedule, zone).find((instant) => instant > after);
    if (run !== undefined) return run;
  }
  return undefined;
}

function isDue({ months, days, weekdays }: FieldSchedule, day: Millis): boolean {
  const date = new Date(day);
  if (!months.values.has(date.getUTCMonth() + 1)) return false;
  const isDay = days.values.has(date.getUTCDate());
  const isWeekday = weekdays.values.has(date.getUTCDay());
  return days.isOpen || weekdays.isOpen ? isDay && isWeekday : isDay || isWeekday;
}

/** In order. Local times are looked up individually only at changes of the offset. */
function runsOn(day: Millis, { hours, minutes }: FieldSchedule, zone: TimeZone): Millis[] {
  const walls = [...hours.values].flatMap((hour) =>
    [...minutes.values].map((minute) => (hour * 60 + minute) * minuteMs),
  );
  const offset = zone.offsetAt(day - dayMs);
  const isPlain = offset === zone.offsetAt(day + 2 * dayMs) && offset === zone.offsetAt(day + dayMs / 2);
  const instants = isPlain
    ? walls.map((wall) => day + wall - offset)
    : walls.flatMap((wall) => instantsOf(day + wall, zone));
  return instants.sort((a, b) => a - b);
}

export interface DueRun {
  /** The last run that is due. Earlier ones are not made up for. */
  readonly at: Millis;
  /** Approximate number of missed runs. */
  readonly missed: number;
}

/** The last run in the time from `since` (not included) to `now`, if there was one. */
export function lastDueRun(
  schedule: CronSchedule,
  { since, now }: { readonly since: Millis; readonly now: Millis },
  zone: TimeZone,
): DueRun | undefined {
  const first = nextRun(schedule, since, zone);
  if (first === undefined || first > now) return undefined;
  const second = nextRun(schedule, first, zone);
  if (second === undefined || second > now) return { at: first, missed: 0 };
  const period = Math.max(1000, second - first);
  const missed = Math.floor((now - first) / period) + 1;
  return { at: lastUntil(schedule, { first, now, period }, zone), missed };
}

/** Looks back in steps that double, so that the cost does not depend on the length of the interval. */
function lastUntil(
  schedule: CronSchedule,
  { first, now, period }: { readonly first: Millis; readonly now: Millis; readonly period: Millis },
  zone: TimeZone,
): Millis {
  if (schedule.kind === 'every') return first + Math.floor((now - first) / period) * period;
  for (let window = period; ; window *= 2) {
    const from = Math.max(first, now - window);
    let last = from === first ? first : undefined;
    for (let run = nextRun(schedule, from, zone); run !== undefined && run <= now; run = nextRun(schedule, run, zone))
      last = run;
    if (last !== undefined) return last;
  }
}
