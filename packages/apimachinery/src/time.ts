import type { Millis } from '@coracle/base';

/** An instant to the microsecond; `Millis` alone would lose the last three digits of a MicroTime. */
export interface Instant {
  /** Whole milliseconds since the Unix epoch. */
  readonly millis: Millis;
  /** Microseconds beyond `millis`, from 0 to 999. */
  readonly micros: number;
}

/** `metav1.Time`: RFC 3339 in UTC with whole seconds, `2026-01-01T00:00:00Z`. What is finer is cut off. */
export function formatTime(at: Millis): string {
  const second = Math.floor(at / 1_000);
  if (second !== lastFormatted.second) lastFormatted = { second, text: `${new Date(at).toISOString().slice(0, 19)}Z` };
  return lastFormatted.text;
}

/** Everything that happens in a second has the same text. */
let lastFormatted = { second: Number.NaN, text: '' };

/** `metav1.MicroTime`: RFC 3339 in UTC with microseconds, `2026-01-01T00:00:00.000000Z`. */
export function formatMicroTime(at: Millis): string {
  // Rounded, because the fraction of a millisecond is a binary one and would often come out a microsecond short.
  const total = Math.round(at * 1_000);
  const millis = Math.floor(total / 1_000);
  return micro({ millis, micros: total - millis * 1_000 });
}

/** The instant that a Time or MicroTime names, or `undefined` when it is none. */
export function parseTime(text: string): Millis | undefined {
  const instant = parseInstant(text);
  return instant && instant.millis + instant.micros / 1_000;
}

const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const daysInMonth: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads RFC 3339, with or without a fraction, in any zone. */
export function parseInstant(text: string): Instant | undefined {
  if (text !== lastParsed.text) lastParsed = { text, instant: readInstant(text) };
  return lastParsed.instant;
}

/** The times in an object are mostly one. */
let lastParsed: { readonly text: string; readonly instant: Instant | undefined } = { text: '', instant: undefined };

function readInstant(text: string): Instant | undefined {
  return readUtc(text) ?? readAny(text);
}

/** What servers write, in UTC with no fraction or six digits of one, without the expression: it is most of all that is read. */
function readUtc(text: string): Instant | undefined {
  if (text.length !== 20 && text.length !== 27) return undefined;
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  if (text[text.length - 1] !== 'Z' || (text.length === 27 && text[19] !== '.')) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  const micros = text.length === 27 ? digits(text, 20, 26) : 0;
  // `Date.UTC` interprets years below 100 as 1900 and later.
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= lengthOfMonth(year, month))) return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 59 && micros >= 0)) return undefined;
  const millis = Date.UTC(year, month - 1, day, hour, minute, second, Math.floor(micros / 1_000));
  return { millis, micros: micros % 1_000 };
}

/** The number that is there, or NaN. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function readAny(text: string): Instant | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > lengthOfMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = offsetMinutes(match[8], match[9], match[10]);
  if (offset === undefined) return undefined;
  const micros = Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second, Math.floor(micros / 1_000));
  return { millis: date.getTime(), micros: micros % 1_000 };
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Any RFC 3339 text as the server writes a Time, or `undefined` when it is none. */
export function canonicalizeTime(text: string): string | undefined {
  const instant = parseInstant(text);
  if (!instant) return undefined;
  return canonicalTime.test(text) ? text : formatTime(instant.millis);
}

/** The same for a MicroTime, which must come with exactly six digits of fraction. */
export function canonicalizeMicroTime(text: string): string | undefined {
  if (!/\.\d{6}(?!\d)/.test(text)) return undefined;
  const instant = parseInstant(text);
  return instant && micro(instant);
}

function micro({ millis, micros }: Instant): string {
  const fraction = (millis - Math.floor(millis / 1_000) * 1_000) * 1_000 + micros;
  return `${formatTime(millis).slice(0, -1)}.${String(fraction).padStart(6, '0')}Z`;
}

function lengthOfMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (daysInMonth[month - 1] as number);
}

function offsetMinutes(sign: string | undefined, hours = '0', minutes = '0'): number | undefined {
  if (sign === undefined) return 0;
  if (Number(hours) > 24 || Number(minutes) > 60) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
