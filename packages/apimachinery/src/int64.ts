const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

/** A whole number as objects hold it: a `bigint` where a double is not sure to be exact, from 2^53 on. */
export type Int64 = number | bigint;

/** Whether a number is so large that the text it was read from may have had other digits. */
export function isInexact(value: number): boolean {
  return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER;
}

export function isInt64(value: bigint): boolean {
  return value >= least && value <= most;
}

/** The value as objects hold it. It must be an int64. */
export function int64(value: bigint): Int64 {
  const number = Number(value);
  return isInexact(number) ? value : number;
}

/**
 * A literal without fraction and exponent, in decimal or with a prefix such as `0x`. Beyond int64 it is a double, as in
 * Go.
 */
export function integerOf(literal: string): Int64 {
  const isNegative = literal.startsWith('-');
  const digits = isNegative ? literal.slice(1) : literal;
  const size = Number(digits);
  if (!isInexact(size) || size > 2 ** 63) return isNegative ? -size : size;
  const exact = isNegative ? -BigInt(digits) : BigInt(digits);
  return isInt64(exact) ? exact : Number(exact);
}

/** The int64 with the digits that JSON has for a double, or `undefined` if it is none. */
export function int64OfDouble(value: number): Int64 | undefined {
  if (Number.isSafeInteger(value)) return value;
  if (!Number.isInteger(value) || Math.abs(value) > 2 ** 63) return undefined;
  const exact = BigInt(String(value));
  return isInt64(exact) ? exact : undefined;
}
