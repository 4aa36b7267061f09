/** A fraction with as many digits after the point as asked for, as Go writes it: halves are rounded to the even digit. */
export function fixedPoint(value: number, digits: number): string {
  if (Math.abs(value) < 1e21) return roundedToEven(value, digits);
  const whole = String(BigInt(value));
  return digits === 0 ? whole : `${whole}.${'0'.repeat(digits)}`;
}

/** `toFixed` rounds halves up. */
function roundedToEven(value: number, digits: number): string {
  const exact = value.toFixed(Math.min(digits + 30, 100));
  const end = exact.indexOf('.') + 1 + digits;
  const truncated = exact.slice(0, digits === 0 ? end - 1 : end);
  return /^50*$/.test(exact.slice(end)) && /[02468]$/.test(truncated) ? truncated : value.toFixed(digits);
}
