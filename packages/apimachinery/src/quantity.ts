/** The format of a quantity: `1500m`, `1Gi` or `1e3`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** Quantities are exact to a billionth, and rounded away from zero beyond that. */
const nano = 1_000_000_000n;
const digitsOfNano = 9;
const milli = 1_000_000n;
/** Larger amounts with a binary suffix are cut to this. */
const largest = (2n ** 63n - 1n) * nano;

/** An amount of a resource. Immutable; exact at any size. */
export class Quantity {
  readonly format: QuantityFormat;
  readonly #nanos: bigint;
  #text: string | undefined;
  #milliValue: number | undefined;
  #value: number | undefined;

  constructor(nanos: bigint, format: QuantityFormat) {
    this.#nanos = nanos;
    this.format = format;
  }

  /** From a whole number of units. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value) * nano, format);
  }

  static ofMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value) * milli, format);
  }

  static readonly zero: Quantity = new Quantity(0n, 'DecimalSI');

  get nanos(): bigint {
    return this.#nanos;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return this.#nanos === 0n ? 0 : this.#nanos < 0n ? -1 : 1;
  }

  get isZero(): boolean {
    return this.#nanos === 0n;
  }

  get isInteger(): boolean {
    return this.#nanos % nano === 0n;
  }

  /** In whole units, rounded away from zero. Exact up to 2^53; see `nanos` beyond. */
  value(): number {
    this.#value ??= Number(divideAwayFromZero(this.#nanos, nano));
    return this.#value;
  }

  /** In thousandths, rounded away from zero. Exact up to 2^53; see `nanos` beyond. */
  milliValue(): number {
    this.#milliValue ??= Number(divideAwayFromZero(this.#nanos, milli));
    return this.#milliValue;
  }

  /** As a floating-point number, which may be inexact. */
  toNumber(): number {
    return Number(this.#nanos / nano) + Number(this.#nanos % nano) / Number(nano);
  }

  /** Keeps this quantity's format, or takes the other's where this one is zero. */
  add(other: Quantity): Quantity {
    return new Quantity(this.#nanos + other.#nanos, this.isZero ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    return new Quantity(this.#nanos - other.#nanos, this.isZero ? other.format : this.format);
  }

  mul(factor: number | bigint): Quantity {
    return new Quantity(this.#nanos * BigInt(factor), this.format);
  }

  neg(): Quantity {
    return new Quantity(-this.#nanos, this.format);
  }

  /** Negative, zero or positive, as in sorting. */
  compare(other: Quantity): -1 | 0 | 1 {
    return this.#nanos === other.#nanos ? 0 : this.#nanos < other.#nanos ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.#nanos === other.#nanos;
  }

  /** The canonical form: no fraction, the largest suffix without loss. */
  toString(): string {
    this.#text ??= format(this.#nanos, this.format);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Thrown for an invalid quantity, with the message that clients see. */
export class QuantityError extends Error {
  override readonly name: string = 'QuantityError';
}

const decimalSuffixes: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The exponent of the first decimal suffix. */
const smallestExponent = -9;

const pattern = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";

/** Quantities repeat (`100m`, `128Mi`, …), and reading one costs more than finding it. Bounded, and never wrong. */
const cache = /* @__PURE__ */ new Map<string, Quantity>();
const knownLimit = 4_096;
/** Real manifests have no longer ones. */
const longestKnown = 64;

/** Reads a quantity, or throws a `QuantityError`. */
export function parseQuantity(text: string): Quantity {
  const cached = cache.get(text);
  if (cached) return cached;
  const quantity = read(text);
  if (text.length > longestKnown) return quantity;
  if (cache.size >= knownLimit) cache.clear();
  cache.set(text, quantity);
  return quantity;
}

/** The canonical form of `text`, as the server answers: `1000m` → `1`. Throws a `QuantityError`. */
export function canonicalQuantity(text: string): string {
  return parseQuantity(text).toString();
}

function read(text: string): Quantity {
  const match = pattern.exec(text);
  const [, sign, whole = '', fraction = '', suffix = ''] = match ?? [];
  if (!match || whole + fraction === '') throw new QuantityError(wrongFormat);
  const unit = readSuffix(suffix);
  const digits = BigInt(whole + fraction);
  const scaled = unit.format === 'BinarySI' ? digits * 2n ** BigInt(unit.exponent) : digits;
  const exponent = (unit.format === 'BinarySI' ? 0 : unit.exponent) - fraction.length + digitsOfNano;
  if (exponent > 1_000) throw new QuantityError(wrongSuffix);
  const { length } = whole + fraction;
  // Beyond the available digits, suffix included, only rounding remains.
  const places = Math.min(-exponent, length + 20);
  let nanos = exponent >= 0 ? scaled * 10n ** BigInt(exponent) : divideAwayFromZero(scaled, 10n ** BigInt(places));
  if (nanos > largest && unit.format === 'BinarySI') nanos = largest;
  // A part of one cannot be written with a binary suffix.
  const format = unit.format === 'BinarySI' && nanos > 0n && nanos < nano ? 'DecimalSI' : unit.format;
  return new Quantity(sign === '-' ? -nanos : nanos, format);
}

function readSuffix(suffix: string): { readonly format: QuantityFormat; readonly exponent: number } {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { format: 'DecimalSI', exponent: smallestExponent + decimal * 3 };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { format: 'BinarySI', exponent: binary * 10 };
  if (!/^[eE][+-]?[0-9]+$/.test(suffix)) throw new QuantityError(wrongSuffix);
  return { format: 'DecimalExponent', exponent: Number(suffix.slice(1)) };
}

function format(nanos: bigint, kind: QuantityFormat): string {
  if (nanos === 0n) return '0';
  // Small amounts and those with a fraction read better in decimals.
  if (kind === 'BinarySI' && (nanos >= 1024n * nano || nanos <= -1024n * nano)) {
    const { mantissa, steps } = withoutFactors(divideAwayFromZero(nanos, nano), 1024n, binarySuffixes.length - 1);
    return `${mantissa}${binarySuffixes[steps]}`;
  }
  if (kind === 'DecimalExponent') {
    const { mantissa, steps } = withoutFactors(nanos, 1000n, Number.POSITIVE_INFINITY);
    const exponent = smallestExponent + steps * 3;
    return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  }
  const { mantissa, steps } = withoutFactors(nanos, 1000n, decimalSuffixes.length - 1);
  return `${mantissa}${decimalSuffixes[steps]}`;
}

function withoutFactors(amount: bigint, factor: bigint, most: number): { mantissa: bigint; steps: number } {
  let mantissa = amount;
  let steps = 0;
  while (steps < most && mantissa % factor === 0n) {
    mantissa /= factor;
    steps++;
  }
  return { mantissa, steps };
}

function divideAwayFromZero(amount: bigint, by: bigint): bigint {
  const quotient = amount / by;
  if (amount % by === 0n) return quotient;
  return amount > 0n ? quotient + 1n : quotient - 1n;
}
