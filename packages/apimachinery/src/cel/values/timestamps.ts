import { parseInstant } from '../../time.js';
import { CelTimestamp } from './cel-value.js';
import { fail } from './evaluation-failure.js';
import { floorDivide } from './format-value.js';

const nanosOfSecond = 1_000_000_000n;
/** From the first second of year 1 to the last of 9999. */
export const earliest: bigint = -62_135_596_800n * nanosOfSecond;
const latest = 253_402_300_800n * nanosOfSecond - 1n;

export function inRange(nanos: bigint): boolean {
  return nanos >= earliest && nanos <= latest;
}

const zone = /(?:Z|([+-])(\d\d):(\d\d))$/;

/** RFC 3339 to the nanosecond; `undefined` for anything else. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const instant = parseInstant(text);
  if (!instant) return undefined;
  const digits = /[.,](\d+)/.exec(text)?.[1] ?? '';
  const fraction = BigInt(digits.slice(0, 9).padEnd(9, '0'));
  const seconds = BigInt(Math.floor(instant.millis / 1_000));
  const nanos = seconds * nanosOfSecond + fraction;
  if (!inRange(nanos)) return undefined;
  const [, sign, hours = '0', minutes = '0'] = zone.exec(text) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return new CelTimestamp(nanos, sign === '-' ? -offset : offset);
}

/** A date and time of day in a zone. */
export interface CivilTime {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** Sunday is 0. */
  readonly weekday: number;
  /** From 0. */
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** In UTC, or in a zone given by its name or as `+05:30`. */
export function civilTime({ nanos }: CelTimestamp, timeZone = 'UTC'): CivilTime {
  const millis = Number(floorDivide(nanos, 1_000_000n));
  const offset = offsetOf(timeZone, millis);
  const local = new Date(millis + offset);
  const start = new Date(0);
  start.setUTCFullYear(local.getUTCFullYear(), 0, 1);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    dayOfYear: Math.floor((local.getTime() - start.getTime()) / 86_400_000),
    hours: local.getUTCHours(),
    minutes: local.getUTCMinutes(),
    seconds: local.getUTCSeconds(),
    milliseconds: local.getUTCMilliseconds(),
  };
}

/** How far a zone's clocks are ahead of UTC at an instant, in milliseconds. */
function offsetOf(timeZone: string, millis: number): number {
  if (timeZone === 'UTC' || timeZone === '' || timeZone === 'Local') return 0;
  const colon = timeZone.indexOf(':');
  if (colon >= 0) return fixedOffset(timeZone, colon);
  if (timeZone.includes('..') || /^[/\\]/.test(timeZone)) return fail('time: invalid location name');
  // Names of zones are names of files, with their capitals; the formatter would not mind.
  const format = /(?:^|\/)[a-z]/.test(timeZone) ? undefined : formatIn(timeZone);
  const parts = format?.formatToParts(new Date(millis));
  if (!parts) return fail(`unknown time zone ${timeZone}`);
  const at = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const date = new Date(0);
  const era = parts.find((part) => part.type === 'era')?.value;
  date.setUTCFullYear(era === 'BC' ? 1 - at('year') : at('year'), at('month') - 1, at('day'));
  date.setUTCHours(at('hour'), at('minute'), at('second'), 0);
  return date.getTime() - Math.floor(millis / 1_000) * 1_000;
}

/** Any hours and minutes, not only those that zones have. */
function fixedOffset(timeZone: string, colon: number): number {
  const hours = wholeNumber(timeZone.slice(0, colon));
  const minutes = wholeNumber(timeZone.slice(colon + 1));
  return (hours * 60 + (timeZone.startsWith('-') ? -minutes : minutes)) * 60_000;
}

function wholeNumber(text: string): number {
  return /^[+-]?\d+$/.test(text) ? Number(text) : fail(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(timeZone)) {
    if (formats.size > 1_000) formats.clear();
    formats.set(timeZone, makeFormat(timeZone));
  }
  return formats.get(timeZone);
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const numeric = 'numeric';
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch {
    return undefined;
  }
}
