import { parseDurationNanos } from '@coracle/apimachinery';

const second = 1_000_000_000n;
/** Of each unit its nanoseconds and its names; the last may have any ending. */
const units: readonly (readonly [nanos: bigint, names: readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [second, ['s', 'sec']],
  [60n * second, ['m', 'min']],
  [3_600n * second, ['h', 'hr', 'hour']],
  [86_400n * second, ['d', 'day']],
  [604_800n * second, ['w', 'wk', 'week']],
];
const spans = /(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g;

/** The format `duration` in nanoseconds: as Go writes it, or any text with durations in words: `1 day`, `P2W`. */
export function parseWordedDuration(text: string): bigint | undefined {
  const plain = parseDurationNanos(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, digits = '', word = ''] of text.matchAll(spans)) {
    const count = BigInt(digits);
    if (BigInt.asIntN(64, count) !== count) return undefined;
    const unit = nanosOf(word.toLowerCase());
    if (unit !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + count * unit);
  }
  return total;
}

function nanosOf(word: string): bigint | undefined {
  return units.find(([, names]) => names.includes(word) || word.startsWith(names.at(-1) ?? ''))?.[0];
}
