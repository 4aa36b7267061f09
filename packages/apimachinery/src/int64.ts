const limit = 2 ** 63;
/** The largest number below 2^63 that a double holds. */
const largest = limit - 1024;

/**
 * The number itself, or the nearest one that clients can read as an int64: the largest and the smallest int64 are
 * rounded to 2^63 and -2^63 as doubles, and the digits of those, as JSON has them, are beyond int64.
 */
export function nearestInt64(value: number): number {
  if (value === limit) return largest;
  return value === -limit ? -largest : value;
}

/** Whether `nearestInt64` has to look at a number, or JSON has no digits for it at all. */
export function isBeyondInt64(value: number): boolean {
  return value >= limit || value <= -limit;
}
