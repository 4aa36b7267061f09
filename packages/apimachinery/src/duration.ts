/** Durations in Go's format: `1h30m`, `300ms`, `1.5s`. In nanoseconds, the precision of the API's text. */
export type Nanos = bigint;

const nanosByUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const longest = 2n ** 63n - 1n;

/** Parses a duration into milliseconds; `undefined` if it is invalid. */
export function parseDuration(text: string): number | undefined {
  const nanos = parseDurationNanos(text);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}

/** Parses a duration exactly; `undefined` for anything else, and for values beyond 64 bits. */
export function parseDurationNanos(text: string): Nanos | undefined {
  const negative = text.startsWith('-');
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0n;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const size = nanosByUnit[unit] as bigint;
    total += BigInt(whole || '0') * size;
    total += (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  if (total > (negative ? longest + 1n : longest)) return undefined;
  return negative ? -total : total;
}

/** As Go prints it: `1h0m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(millis: number): string {
  return formatDurationNanos(BigInt(Math.round(millis * 1e6)));
}

export function formatDurationNanos(nanos: Nanos): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  return sign + (size < 1_000_000_000n ? belowOneSecond(size) : fromOneSecond(size));
}

function belowOneSecond(nanos: bigint): string {
  if (nanos < 1_000n) return `${nanos}ns`;
  return nanos < 1_000_000n ? `${decimal(nanos, 1_000n)}µs` : `${decimal(nanos, 1_000_000n)}ms`;
}

function fromOneSecond(nanos: bigint): string {
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

function decimal(amount: bigint, unit: bigint): string {
  const fraction = String((amount % unit) + unit)
    .slice(1)
    .replace(/0+$/, '');
  return fraction === '' ? `${amount / unit}` : `${amount / unit}.${fraction}`;
}
