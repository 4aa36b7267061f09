import { parseQuantity, Quantity } from '@coracle/apimachinery';

const nanosInMilli = 1_000_000n;

/** The quantity in whole thousandths, rounded away from zero. */
export function roundUpToMilli(text: string): string {
  const { nanos, format } = parseQuantity(text);
  const rest = nanos % nanosInMilli;
  if (rest === 0n) return text;
  return new Quantity(nanos - rest + (nanos > 0n ? nanosInMilli : -nanosInMilli), format).toString();
}

/** Negative, zero or positive, as in sorting. An absent quantity is zero. */
export function compareQuantities(left: string | undefined, right: string | undefined): number {
  return parseQuantity(left ?? '0').compare(parseQuantity(right ?? '0'));
}
