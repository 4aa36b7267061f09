import { formatTime, Quantity } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** A value of Prometheus in the metrics APIs, in thousandths. NaN and infinity count as 0. */
export function formatSample(value: number, now: Millis): { readonly timestamp: string; readonly value: string } {
  const thousandths = Number.isFinite(value) ? BigInt(Math.trunc(value * 1000)) : 0n;
  return { timestamp: formatTime(now), value: new Quantity(thousandths * 1_000_000n, 'DecimalSI').toString() };
}
