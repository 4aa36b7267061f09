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
  ['duration("1h2m3s4ms").getMilliseconds()', 3_723_004],
  ['timestamp("2026-01-01T5:00:00Z").getHours()', 5],
  ['timestamp("2026-01-01T12:00:00Z").getMinutes("05:3")', 3],
  ['timestamp("2026-01-01T12:00:00Z").getMinutes("-05:30")', 30],
  ['timestamp("2026-01-01T12:00:00Z").getHours("a:b")', 'strconv.Atoi: parsing "a": invalid syntax'],
  ['timestamp("2026-01-01T12:00:00Z").getHours("05:30:00")', 'strconv.Atoi: parsing "30:00": invalid syntax'],
  ['timestamp("2026-01-01T12:00:00Z").getHours("../UTC")', 'time: invalid location name'],
  ['duration("-9223372036854775808ns") < duration("-9223372036854775807ns")', true],
  ['double("1_000.5")', 1000.5],
  ['double("_1.5")', "type conversion error from 'string' to 'double'"],
  ['double("0x1.8p4")', 24],
  ['double("-0x_10p-1")', -8],
  ['double("0x10")', "type conversion error from 'string' to 'double'"],
])('%s', (expression, value) => {
  expect(evaluated(expression)).toBe(value);
});
