import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from './duration.js';

describe('durations', () => {
  const cases = [
    ['0', 0, '0s'],
    ['0s', 0, '0s'],
    ['1h30m', 5_400_000, '1h30m0s'],
    ['90s', 90_000, '1m30s'],
    ['1.5s', 1_500, '1.5s'],
    ['.5s', 500, '500ms'],
    ['300ms', 300, '300ms'],
    ['1us', 0.001, '1µs'],
    ['1µs', 0.001, '1µs'],
    ['-1m', -60_000, '-1m0s'],
    ['+1m', 60_000, '1m0s'],
    ['24h', 86_400_000, '24h0m0s'],
    ['1h0.5m', 3_630_000, '1h0m30s'],
  ] as const;

  test.each(cases)('%s is %d ms, written %s', (text, millis, written) => {
    expect([parseDuration(text), formatDuration(millis)]).toEqual([millis, written]);
  });

  test.each(['', '1', 's', '1d', '1h 30m', '1.2.3s', '.s', '-', '1e3s', '300000h30000000000000m'])(
    '"%s" is refused',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test('reading undoes writing', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
        (nanos) => parseDurationNanos(formatDurationNanos(nanos)) === nanos,
      ),
    );
  });
});
