import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity, parseQuantity, Quantity, QuantityError } from './quantity.js';

describe('canonicalQuantity', () => {
  const cases = [
    ['0', '0'],
    ['-0', '0'],
    ['+1', '1'],
    ['1000m', '1'],
    ['100m', '100m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1.', '1'],
    ['1500', '1500'],
    ['1000', '1k'],
    ['1.5k', '1500'],
    ['1000k', '1M'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1e0', '1'],
    ['12e4', '120e3'],
    ['5e-1', '500e-3'],
    ['1E', '1E'],
    ['1000P', '1E'],
    ['1Ki', '1Ki'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['0.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1000Ki', '1000Ki'],
    ['0.1Ki', '102400m'],
    ['7Ei', '7Ei'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1u', '1u'],
    ['-1500m', '-1500m'],
    ['9999999999999999999999', '9999999999999999999999'],
    ['9999999999999999999Ki', '9223372036854775807'],
    ['0Mi', '0'],
    ['007', '7'],
    ['1e-999999999', '1e-9'],
  ] as const;

  test.each(cases)('writes %s as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test('parses any number of digits', () => {
    expect(canonicalQuantity(`0.${'1'.repeat(5_000)}`)).toBe('111111112n');
    expect(canonicalQuantity(`1${'0'.repeat(5_000)}e-5000`)).toBe('1');
  });

  const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const suffix = "unable to parse quantity's suffix";
  const refused = [
    ['', format],
    ['x', format],
    ['-', format],
    ['.', format],
    ['1.2.3', format],
    [' 1', format],
    ['1 ', format],
    ['1z', format],
    ['$(A)', format],
    ['1K', suffix],
    ['1mi', suffix],
    ['1e', suffix],
    ['1Kii', suffix],
    ['1e99999', suffix],
  ] as const;

  test.each(refused)('refuses "%s"', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(new QuantityError(message));
  });
});

describe('Quantity', () => {
  const q = parseQuantity;

  test('adds and subtracts exactly, for any units', () => {
    expect(q('100m').add(q('900m')).toString()).toBe('1');
    expect(q('1Gi').sub(q('1Mi')).toString()).toBe('1023Mi');
    expect(q('7Ei').add(q('1')).nanos - q('7Ei').nanos).toBe(1_000_000_000n);
    expect(Quantity.zero.add(q('1Gi')).toString()).toBe('1Gi');
  });

  test('compares across formats', () => {
    expect([
      q('1Ki').compare(q('1k')),
      q('1000m').compare(q('1')),
      q('1e3').equals(q('1k')),
      q('0').compare(q('1n')),
    ]).toEqual([1, 0, true, -1]);
  });

  test('rounds away from zero', () => {
    expect([q('1100m').value(), q('-1100m').value(), q('1n').milliValue(), q('2').milliValue()]).toEqual([
      2, -2, 1, 2_000,
    ]);
  });

  test('reports its sign and whether it is an integer', () => {
    expect([q('-1').sign, q('0').sign, q('1n').sign]).toEqual([-1, 0, 1]);
    expect([q('1').isInteger, q('1500m').isInteger, q('2000m').isInteger]).toEqual([true, false, true]);
  });

  test('multiplies, negates and becomes a number', () => {
    expect([q('250m').mul(3).toString(), q('1Gi').neg().toString(), q('1500m').toNumber()]).toEqual([
      '750m',
      '-1Gi',
      1.5,
    ]);
  });

  test('is created from numbers and written into JSON as text', () => {
    expect(JSON.stringify([Quantity.of(2_048, 'BinarySI'), Quantity.ofMilli(250)])).toBe('["2Ki","250m"]');
  });

  const text = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.nat(999_999),
      fc.option(fc.nat(999)),
      fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e2', 'E-3'),
    )
    .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`);

  test('the canonical form names the same amount, and is its own canonical form', () => {
    fc.assert(
      fc.property(text, (one) => {
        const canonical = canonicalQuantity(one);
        const quantity = parseQuantity(one);
        const reread = parseQuantity(canonical);
        // A binary quantity that is no multiple of 1024 is written without a suffix, and read as a decimal one.
        if (reread.format === quantity.format) expect(canonicalQuantity(canonical)).toBe(canonical);
        // A binary quantity is written in whole units, rounded away from zero; all others exactly.
        if (quantity.format === 'BinarySI') expect(reread.value()).toBe(quantity.value());
        else expect(reread.nanos).toBe(quantity.nanos);
      }),
    );
  });

  test('addition and subtraction undo each other', () => {
    fc.assert(
      fc.property(text, text, (a, b) =>
        parseQuantity(a).add(parseQuantity(b)).sub(parseQuantity(b)).equals(parseQuantity(a)),
      ),
    );
  });

  test('comparing is the sign of the difference', () => {
    fc.assert(
      fc.property(
        text,
        text,
        (a, b) => parseQuantity(a).compare(parseQuantity(b)) === parseQuantity(a).sub(parseQuantity(b)).sign,
      ),
    );
  });
});
