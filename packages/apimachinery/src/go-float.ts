/** As Go prints a number with the fewest digits: `1.5`, `1e+06`, `+Inf`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '0', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  const sign = power < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * The same of a number of an object. Where it is a whole number that JSON writes as it is, Go has read an integer from
 * that; others beyond 2^53 are floats, as integers of that size are bigints.
 */
export function formatNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : formatDouble(value);
}

const least = -(2 ** 63);
const beyond = 2 ** 64;

/** A number of an object in the YAML of the Go tools, which read integers up to the largest uint64 from JSON. */
export function formatYamlNumber(value: number): string {
  const isWhole = Number.isInteger(value) && value >= least && value < beyond;
  return isWhole ? String(value) : formatDouble(value);
}
