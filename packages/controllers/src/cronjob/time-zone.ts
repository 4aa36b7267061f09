import type { Millis } from '@coracle/base';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Local time represented as if it were UTC, for calculations. */
export type WallTime = Millis;

/** A time zone. */
export interface TimeZone {
  offsetAt(instant: Millis): Millis;
}

export const utc: TimeZone = { offsetAt: () => 0 };

/** A zone of the time zone database, which must exist. */
export function timeZone(name: string): TimeZone {
  if (name === '' || name === 'UTC' || name === 'Etc/UTC') return utc;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return {
    offsetAt(instant) {
      const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
      return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
    },
  };
}

/**
 * The instants with this local time: none in the hour that daylight saving time skips, two in the one that it repeats.
 */
export function instantsOf(wall: WallTime, zone: TimeZone): Millis[] {
  const offsets = new Set([zone.offsetAt(wall - dayMs), zone.offsetAt(wall + dayMs)]);
  return [...offsets]
    .map((offset) => wall - offset)
    .filter((instant) => instant + zone.offsetAt(instant) === wall)
    .sort((a, b) => a - b);
}

/** RFC 3339 with the offset of the zone: `2026-01-01T02:00:00+02:00`. */
export function formatInZone(instant: Millis, zone: TimeZone): string {
  const offset = zone.offsetAt(instant);
  const text = new Date(instant + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return `${text}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
