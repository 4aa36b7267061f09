import type { Millis } from '@coracle/base';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** The time since `timestamp` in readable form; `<unknown>` without one. */
export function formatAge(timestamp: string | null | undefined, now: Millis): string {
  if (!timestamp) return '<unknown>';
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? '<unknown>' : formatHumanDuration(now - at);
}

/** `5s`, `2m10s`, `12m`, `3h10m`, `4d`, `2y30d`: the shorter the time, the finer. Clocks may differ by a second. */
export function formatHumanDuration(span: Millis): string {
  if (span <= -2 * secondMs) return '<invalid>';
  if (span < 0) return '0s';
  if (span < 2 * minuteMs) return inUnits(span, secondMs, 's');
  if (span < 10 * minuteMs) return inTwoUnits(span, [minuteMs, 'm'], [secondMs, 's']);
  if (span < 3 * hourMs) return inUnits(span, minuteMs, 'm');
  if (span < 8 * hourMs) return inTwoUnits(span, [hourMs, 'h'], [minuteMs, 'm']);
  if (span < 2 * dayMs) return inUnits(span, hourMs, 'h');
  if (span < 8 * dayMs) return inTwoUnits(span, [dayMs, 'd'], [hourMs, 'h']);
  if (span < 2 * yearMs) return inUnits(span, dayMs, 'd');
  if (span < 8 * yearMs) return inTwoUnits(span, [yearMs, 'y'], [dayMs, 'd']);
  return inUnits(span, yearMs, 'y');
}

function inUnits(span: Millis, unit: Millis, name: string): string {
  return Math.floor(span / unit) + name;
}

type Unit = readonly [Millis, string];

function inTwoUnits(span: Millis, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((span % large) / small);
  return inUnits(span, large, largeName) + (rest === 0 ? '' : rest + smallName);
}
