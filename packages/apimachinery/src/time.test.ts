import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalizeMicroTime, canonicalizeTime, formatMicroTime, formatTime, parseTime } from './time.js';

const newYear = Date.UTC(2026, 0, 1);

describe('times', () => {
  test('are written in UTC, with seconds or microseconds', () => {
    expect(formatTime(newYear + 999)).toBe('2026-01-01T00:00:00Z');
    expect(formatMicroTime(newYear + 1.5)).toBe('2026-01-01T00:00:00.001500Z');
  });

  const cases = [
    ['2026-01-01T00:00:00Z', newYear],
    ['2026-01-01T01:00:00+01:00', newYear],
    ['2025-12-31T19:00:00.5-05:00', newYear + 500],
    ['2026-01-01T00:00:00.123456Z', newYear + 123.456],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
  ] as const;

  test.each(cases)('%s is read', (text, at) => {
    expect(parseTime(text)).toBeCloseTo(at, 3);
  });

  const bad = [
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:60Z',
    '../y',
    '2026-1-1T0:0:0Z',
  ];

  test.each(bad)('"%s" is refused', (text) => {
    expect([parseTime(text), canonicalizeTime(text), canonicalizeMicroTime(text)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('a MicroTime has exactly six digits of fraction', () => {
    expect(
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123Z', '2026-01-01T00:00:00.1234567Z'].map(canonicalizeMicroTime),
    ).toEqual([undefined, undefined, undefined]);
    expect(canonicalizeMicroTime('2026-01-01T01:00:00.000001+01:00')).toBe('2026-01-01T00:00:00.000001Z');
  });

  test('reading undoes writing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), fc.nat(999), (seconds, micros) => {
        expect(parseTime(formatTime(seconds * 1_000))).toBe(seconds * 1_000);
        const text = formatMicroTime(seconds * 1_000 + micros / 1_000);
        expect(canonicalizeMicroTime(text)).toBe(text);
      }),
    );
  });
});

test('times from servers are parsed like any RFC 3339 text', () => {
  const part = (length: number) => fc.nat(10 ** length - 1).map((value) => String(value).padStart(length, '0'));
  const text = fc.tuple(part(4), part(2), part(2), part(2), part(2), part(2), fc.option(part(6)));
  fc.assert(
    fc.property(text, ([year, month, day, hour, minute, second, micros]) => {
      const bare = `${year}-${month}-${day}T${hour}:${minute}:${second}${micros === null ? '' : `.${micros}`}`;
      expect(parseTime(`${bare}Z`)).toBe(parseTime(`${bare}+00:00`));
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (at) => {
      expect(parseTime(formatMicroTime(at))).toBe(at);
      expect(parseTime(formatTime(at))).toBe(at - (at % 1_000));
    }),
  );
});

test.each(['2026-01-01T00:00:00.12345xZ', '2026-01-01T0x:00:00Z', '2026-02-29T00:00:00Z', '2026-01-01T00:00:00,1Z0'])(
  '%s is no time',
  (text) => {
    expect(parseTime(text)).toBeUndefined();
  },
);
