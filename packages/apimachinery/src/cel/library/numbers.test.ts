import { expect, test } from 'vitest';
import { evaluated } from '../evaluate.fixture.js';

test.each([
  ['0.0 / 0.0 < 1.0', 'NaN values cannot be ordered'],
  ['0.0 / 0.0 == 0.0 / 0.0', false],
  // Whole numbers are compared with fractions as fractions.
  ['dyn(9007199254740993) == dyn(9007199254740992.0)', true],
  ['9223372036854775807 < 9223372036854775807.0', false],
  ['-9223372036854775808 % -1', 'integer overflow'],
  ['1e999', 'ERROR: <input>:1:1: invalid double literal'],
  ['0XFF', "ERROR: <input>:1:2: Syntax error: extraneous input 'XFF' expecting <EOF>"],
  ['optional.ofNonZeroValue(timestamp("1970-01-01T00:00:00Z")).hasValue()', true],
  ['optional.ofNonZeroValue(timestamp("0001-01-01T00:00:00Z")).hasValue()', false],
  ['timestamp("2026-01-01T12:00:00Z").getHours("europe/berlin")', 'unknown time zone europe/berlin'],
  ['timestamp("2026-01-01T12:00:00Z").getHours("Europe/Berlin")', 13],
  ['timestamp("2026-01-01T00:00:00,25Z").getMilliseconds()', 250],
])('%s', (expression, value) => {
  expect(evaluated(expression)).toBe(value);
});
