/** Maximum number of digits of a `resource.Quantity` in an int64; others are arbitrary-precision decimals. */
const decimalDigits = 18;
const binaryDigits = 15;

const suffixExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

interface Parts {
  readonly digits: string;
  readonly exponent: number;
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

/**
 * The fields of a Go `resource.Quantity` that was read from this canonical text, as a dump of structs shows them. It
 * caches the text of decimal numbers, not of binary ones.
 */
export function dumpQuantity(text: string): string {
  if (text === '') return fields({ value: 0n, scale: 0, text: '', format: '' });
  if (text === '0') return fields({ value: 0n, scale: 0, text: '0', format: '' });
  const parts = partsOf(text);
  const { digits, exponent, format } = parts;
  const sign = text.startsWith('-') ? -1n : 1n;
  if (!fitsInteger(parts)) return bigFields(parts, sign);
  if (format === 'BinarySI') {
    return fields({ value: sign * BigInt(digits) * 2n ** BigInt(exponent), scale: 0, text: '', format });
  }
  return fields({ value: sign * BigInt(digits), scale: exponent, text, format });
}

function partsOf(text: string): Parts {
  const [, digits = '0', suffix = ''] = /^[+-]?([0-9]+)(.*)$/.exec(text) ?? [];
  const binary = binaryExponents[suffix];
  if (binary !== undefined) return { digits, exponent: binary, format: 'BinarySI' };
  const decimal = suffixExponents[suffix];
  if (decimal !== undefined) return { digits, exponent: decimal, format: 'DecimalSI' };
  return { digits, exponent: Number(suffix.slice(1)) || 0, format: 'DecimalExponent' };
}

function fitsInteger({ digits, exponent, format }: Parts): boolean {
  if (format !== 'BinarySI') return digits.length <= decimalDigits && exponent >= suffixExponents.n!;
  return binaryDigits - digits.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
}

interface Small {
  readonly value: bigint;
  readonly scale: number;
  readonly text: string;
  readonly format: string;
}

function fields({ value, scale, text, format }: Small): string {
  const amount = `(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  return `{i:${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`;
}

function bigFields({ digits, exponent, format }: Parts, sign: bigint): string {
  const binary = format === 'BinarySI';
  const unscaled = BigInt(digits) * (binary ? 2n ** BigInt(exponent) : 1n);
  const integer = `(big.Int){neg:(bool)${sign < 0n} abs:(big.nat)[${words(unscaled).join(' ')}]}`;
  const decimal = `(*inf.Dec){unscaled:${integer} scale:(inf.Scale)${binary ? 0 : 0 - exponent}}`;
  const none = '(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0}';
  return `{i:${none} d:(resource.infDecAmount){Dec:${decimal}} s:(string) Format:(resource.Format)${format}}`;
}

function words(value: bigint): bigint[] {
  return value === 0n ? [] : [value & 0xffff_ffff_ffff_ffffn, ...words(value >> 64n)];
}
