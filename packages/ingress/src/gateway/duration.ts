import type { Millis } from '@coracle/base';

const units: Readonly<Record<string, Millis>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration of the Gateway API (`1h30m`, `10s`, `500ms`) in milliseconds; `undefined` for none, which zero means too. */
export function durationMs(text: string | undefined): Millis | undefined {
  if (text === undefined) return undefined;
  let sum = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)(ms|h|m|s)/g)) sum += Number(count) * (units[unit] ?? 0);
  return sum > 0 ? sum : undefined;
}
