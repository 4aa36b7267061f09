/** `value × 10^scale`, where the value fits 64 bits. */
export interface ShortAmount {
  readonly value: bigint;
  readonly scale: number;
}

const parts = /^([+-]?)0*(\d*)(?:\.(\d*))?(.*)$/;
const binarySuffixes: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const mostDigits = 18;
const smallestScale = -9;

/**
 * How upstream keeps a quantity that is written with few digits. It decides whether a quantity counts as an integer:
 * `1` does; `1000m`, `1.0` and all that is kept as a decimal number (`undefined` here) do not.
 */
export function shortAmount(text: string): ShortAmount | undefined {
  const [, sign, whole, fraction = '', suffix = ''] = parts.exec(text) ?? [];
  const digits = (whole || '0') + fraction;
  const binary = binarySuffixes.indexOf(suffix);
  const factor = binary > 0 ? 2n ** BigInt(binary * 10) : 1n;
  if (!isShort(digits.length, binary, fraction)) return undefined;
  const scale = (binary > 0 ? 0 : decimalExponent(suffix)) - fraction.length;
  const value = BigInt(digits) * factor;
  if (scale < smallestScale || !fits(value)) return undefined;
  return { value: sign === '-' ? -value : value, scale };
}

function isShort(digits: number, binary: number, fraction: string): boolean {
  return binary > 0 ? fraction === '' && digits + binary * 3 <= mostDigits - 4 : digits <= mostDigits;
}

function decimalExponent(suffix: string): number {
  const place = decimalSuffixes.indexOf(suffix);
  return place < 0 ? Number(suffix.slice(1)) : smallestScale + place * 3;
}

function fits(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** As an integer; `undefined` for a fraction, even a zero one, and for numbers beyond 64 bits. */
export function wholeOf({ value, scale }: ShortAmount): bigint | undefined {
  if (scale < 0 || (value !== 0n && scale > mostDigits)) return undefined;
  const whole = value * 10n ** BigInt(value === 0n ? 0 : scale);
  return fits(whole) ? whole : undefined;
}

/** `undefined` where the sum needs more than 64 bits. */
export function addShort(a: ShortAmount, b: ShortAmount): ShortAmount | undefined {
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  const scaled = [a, b].map((one) => wholeOf({ value: one.value, scale: one.scale - scale }));
  const [x, y] = scaled;
  if (x === undefined || y === undefined || !fits(x + y)) return undefined;
  return { value: x + y, scale };
}
